// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace einkorn::detail {

/// The maximal number of diagonals that CountMarks lists.
inline constexpr std::int64_t max_listed_diagonals = 512;

/// Where CountMarks stores its results in an array.
struct MarkSlots {
  int num_diagonals, num_bands, num_listed;
  int list;  // the first of max_listed_diagonals
};

/// GPU: counts the marked diagonals and the runs of adjacent ones (bands), eight marks at a time, and lists the first
/// max_listed_diagonals that are found, unordered. A mark is a byte, 0 or 1; that of diagonal column - row = d is at
/// d + num_rows - 1. num_listed may exceed the length of the list.
template <class Exec, class Results>
struct CountMarks {
  using L = Lanes<Exec>;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256;

  std::uint64_t const* words;
  std::int64_t num_words, num_rows;
  Results results;  // of std::int64_t, zeros
  MarkSlots slots;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const stride = static_cast<std::int64_t>(team.league_size()) * team_size;
    int diagonals = 0, bands = 0;
    for (std::int64_t i = static_cast<std::int64_t>(team.league_rank()) * team_size + team.team_rank();
         i < num_words; i += stride) {
      std::uint64_t const word = words[i];  // the first mark is the lowest byte
      if (word == 0) continue;
      std::uint64_t const before = word << 8 | (i > 0 ? words[i - 1] >> 56 : 0);
      diagonals += Kokkos::popcount(word);
      bands += Kokkos::popcount(word & ~before);
      if (L::load_volatile(&results(slots.num_listed)) < max_listed_diagonals) list(word, 8 * i);
    }
    team.team_reduce(Kokkos::Sum<int>(diagonals));
    team.team_reduce(Kokkos::Sum<int>(bands));
    if (team.team_rank() != 0 || diagonals == 0) return;
    Kokkos::atomic_add(&results(slots.num_diagonals), static_cast<std::int64_t>(diagonals));
    Kokkos::atomic_add(&results(slots.num_bands), static_cast<std::int64_t>(bands));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void list(std::uint64_t word, std::int64_t first) const {
    for (; word != 0; word &= word - 1) {
      std::int64_t const at = Kokkos::atomic_fetch_add(&results(slots.num_listed), std::int64_t(1));
      if (at < max_listed_diagonals)
        results(slots.list + static_cast<int>(at)) = first + Kokkos::countr_zero(word) / 8 - (num_rows - 1);
    }
  }
};

/// 1 launch, asynchronous on exec.
template <class Exec, class Results>
void count_marks(Exec const& exec, char const* label, std::uint64_t const* words, std::int64_t num_words,
                 std::int64_t num_rows, Results const& results, MarkSlots const& slots) {
  using Functor = CountMarks<Exec, Results>;
  auto const teams = std::min<std::int64_t>(ceil_div(num_words, Functor::team_size), max_resident_teams);
  Kokkos::parallel_for(
      label, light_weight(Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), Functor::team_size)),
      Functor{words, num_words, num_rows, results, slots});
}

}  // namespace einkorn::detail
