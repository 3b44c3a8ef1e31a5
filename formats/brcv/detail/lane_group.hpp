// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// A Kokkos thread of `lanes` vector lanes that run one program with a number of their own, and share scratch.
/// Kokkos has no name for the number or for the barrier, but the vector loop has both: on a GPU iteration i of
/// one as long as the vector runs on lane i, and every such loop ends with a barrier of the thread's lanes.
template <class L, int lanes>
struct LaneGroup {
  /// The group's place in its team.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION int rank(Member const& team) {
    return team.team_rank();
  }
  /// The calling lane's place in the group.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION int lane(Member const& team) {
    int result = 0;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&result](int i) { result = i; });
    return result;
  }
  /// What lanes of the group have written to scratch before, all of them see after.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION void barrier(Member const& team) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0), [](int) {});
  }
};

}  // namespace einkorn::detail
