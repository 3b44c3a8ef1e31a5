// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// A Kokkos thread with `lanes` vector lanes as a group with lane indices and a barrier. Kokkos has functions
/// for neither, but the vector loop provides both: on a GPU, iteration i of a loop over the vector length runs
/// on lane i, and the loop ends with a barrier of the lanes.
template <class L, int lanes>
struct LaneGroup {
  /// Index of the group in its team.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION int rank(Member const& team) {
    return team.team_rank();
  }
  /// Index of the calling lane in the group.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION int lane(Member const& team) {
    int result = 0;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&result](int i) { result = i; });
    return result;
  }
  /// Barrier of the lanes of the group; makes their writes to scratch visible to each other.
  template <class Member>
  static KOKKOS_FORCEINLINE_FUNCTION void barrier(Member const& team) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0), [](int) {});
  }
};

}  // namespace einkorn::detail
