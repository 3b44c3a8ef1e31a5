// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/cooperative_limits.hpp>
#include <einkorn/core/detail/tagged_words.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// An all-gather of doubles by a team of a kernel, with stores into the memory of the other ranks (peer_transport.hpp).
///
/// The tag is the number of the gather. Words alternate between two sets: a rank sends gather k + 2 after it has received
/// the values of gather k + 1, which every other rank sent after reading those of gather k.
struct KernelGather {
  using Words = TaggedWords<double>;
  static constexpr int max_ranks = max_cooperative_ranks;

  std::uint64_t* slots[max_ranks] = {};  // of each rank, in memory that this rank accesses
  std::uint32_t* num_gathers = nullptr;  // so far, at this rank
  int rank = 0, ranks = 1, max_count = 0;

  /// Words of the slots of one rank.
  static std::size_t num_words(int num_ranks, int count) {
    return 2 * static_cast<std::size_t>(num_ranks) * static_cast<std::size_t>(count) * Words::count;
  }

  /// Gathers `count` values of every rank: all[r * count + j] is value j of rank r. Collective over the team; one
  /// team per rank; two barriers. L: the lanes of the execution space.
  /// @param mine  [count], written before the last barrier
  /// @param all   [ranks * count], readable by the team afterwards
  template <class L, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Team const& team, double const* mine, double* all,
                                              int count) const {
    std::uint32_t const tag = L::load_volatile(num_gathers) + 1;
    int const size = team.team_size(), values = ranks * count;
    for (int at = team.team_rank(); at < values; at += size) {
      int const to = at / count, j = at % count;
      if (to == rank)
        all[at] = mine[j];
      else
        Words::store<L>(slots[to] + slot(tag, rank, j), mine[j], tag);
    }
    for (int at = team.team_rank(); at < values; at += size) {
      int const from = at / count;
      if (from != rank) all[at] = Words::wait<L>(slots[rank] + slot(tag, from, at % count), tag);
    }
    team.team_barrier();
    if (team.team_rank() == 0) L::store_volatile(num_gathers, tag);
    team.team_barrier();
  }

 private:
  /// The first word of value j of rank `from`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t slot(std::uint32_t tag, int from, int j) const {
    auto const number = (static_cast<int>(tag % 2) * ranks + from) * max_count + j;
    return static_cast<std::size_t>(number) * Words::count;
  }
};

}  // namespace einkorn::detail
