// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The rows of a window that a team sorts in its scratch.
inline constexpr std::uint64_t max_window_in_scratch = 4096;

/// GPU: rows(begin) .. rows(end - 1) <- the rows begin .. end - 1 of a window, by descending length, rows of equal length
/// by index. A team sorts a window by a bitonic network. The keys (longest - length, position in the window) are distinct;
/// they have 32 bits, or 64 if the lengths of the window differ by 2^20 or more. Source: Batcher, AFIPS 1968.
template <class Exec, class Offsets, class Rows>
struct SortWindowsByLength {
  using Ordinal = typename Rows::non_const_value_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 1024, position_bits = 12;
  static_assert(max_window_in_scratch == std::uint64_t(1) << position_bits);

  Offsets offsets;
  Rows rows;
  std::uint64_t num_rows, window;
  int slots;  // of the network: a power of two, at least window

  static std::size_t scratch_bytes(int slots) {
    return static_cast<std::size_t>(slots) * sizeof(std::uint64_t) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const capacity = static_cast<std::size_t>(slots) * sizeof(std::uint64_t);
    void* const scratch = team.team_scratch(0).get_shmem_aligned(capacity, alignof(std::uint64_t));
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * window;
    int const count = static_cast<int>(num_rows - begin < window ? num_rows - begin : window);
    std::uint64_t longest = 0, shortest = Kokkos::Experimental::finite_max_v<std::uint64_t>;
    for (int i = team.team_rank(); i < count; i += team.team_size()) {
      std::uint64_t const length = length_of(begin, i);
      longest = length > longest ? length : longest;
      shortest = length < shortest ? length : shortest;
    }
    team.team_reduce(Kokkos::Max<std::uint64_t>(longest));
    team.team_reduce(Kokkos::Min<std::uint64_t>(shortest));
    if (longest - shortest < std::uint64_t(1) << (32 - position_bits))
      sort(team, static_cast<std::uint32_t*>(scratch), begin, count, longest);
    else
      sort(team, static_cast<std::uint64_t*>(scratch), begin, count, longest);
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t length_of(std::uint64_t begin, int i) const {
    std::uint64_t const row = begin + static_cast<std::uint64_t>(i);
    return static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
  }

  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void sort(Member const& team, Key* keys, std::uint64_t begin, int count,
                                        std::uint64_t longest) const {
    constexpr Key none =
        ~Key(0);  // the last position of a full window with the shortest row has this key, and is last too
    for (int i = team.team_rank(); i < slots; i += team.team_size())
      keys[i] =
          i < count
              ? static_cast<Key>((longest - length_of(begin, i)) << position_bits | static_cast<unsigned>(i))
              : none;
    for (int run = 2; run <= slots; run *= 2)
      for (int distance = run / 2; distance > 0; distance /= 2) {
        team.team_barrier();
        for (int pair = team.team_rank(); pair < slots / 2; pair += team.team_size()) {
          int const low = 2 * pair - (pair & (distance - 1)), high = low + distance;
          bool const is_ascending = (low & run) == 0;
          Key const a = keys[low], b = keys[high];
          if ((a > b) != is_ascending) continue;
          keys[low] = b;
          keys[high] = a;
        }
      }
    team.team_barrier();
    for (int i = team.team_rank(); i < count; i += team.team_size())
      rows(begin + static_cast<std::uint64_t>(i)) =
          static_cast<Ordinal>(begin + (static_cast<std::uint64_t>(keys[i]) & (max_window_in_scratch - 1)));
  }
};

/// 1 launch, asynchronous on exec.
/// @pre 0 < window <= max_window_in_scratch
template <class Exec, class Matrix, class Rows>
void sort_windows_by_length(Exec const& exec, Matrix const& A, std::uint64_t window, Rows const& rows) {
  using Functor = SortWindowsByLength<Exec, decltype(A.row_offsets), Rows>;
  auto const num_rows = static_cast<std::uint64_t>(A.num_rows);
  int slots = 2;
  while (static_cast<std::uint64_t>(slots) < window) slots *= 2;
  auto policy =
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(ceil_div(num_rows, window)), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(slots))));
  Kokkos::parallel_for("einkorn::rows_by_length", light_weight(policy),
                       Functor{A.row_offsets, rows, num_rows, window, slots});
}

}  // namespace einkorn::detail
