// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The rows of a window that a team sorts.
inline constexpr std::uint64_t max_window_in_scratch = 4096;

/// For sort_windows_by_length() without a use of the sorted lengths.
struct IgnoreLengths {
  /// The row at position `first` + `i` has `length` entries; `first` is the first position of its window.
  KOKKOS_FUNCTION void visit(std::uint64_t /*first*/, int /*i*/, std::uint64_t /*length*/) {}
  template <class Member>
  KOKKOS_FUNCTION void finish(Member const&) const {}
};

/// GPU: rows(begin) .. rows(end - 1) <- the rows begin .. end - 1 of a window, by descending length, rows of equal length
/// by index. A team sorts a window by a bitonic network. The keys (longest - length, position in the window) are distinct;
/// they have 32 bits, or 64 if the lengths of the window differ by 2^20 or more. A thread holds 4 adjacent keys: it
/// compares them with each other, with those of other lanes by shuffles, and with those of other warps in scratch.
/// Source: Batcher, AFIPS 1968.
template <class Exec, class Offsets, class Rows, class UseLengths>
struct SortWindowsByLength {
  using L = Lanes<Exec>;
  using Ordinal = typename Rows::non_const_value_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int keys_per_thread = 4, min_slots = keys_per_thread * L::size, position_bits = 12;
  static_assert(max_window_in_scratch == std::uint64_t(1) << position_bits);

  Offsets offsets;
  Rows rows;
  UseLengths use;
  std::uint64_t num_rows, window;
  int slots;  // of the network: a power of two, at least window and min_slots

  static std::size_t scratch_bytes(int slots) {
    return static_cast<std::size_t>(slots) * sizeof(std::uint64_t) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const capacity = static_cast<std::size_t>(slots) * sizeof(std::uint64_t);
    void* const scratch = team.team_scratch(0).get_shmem_aligned(capacity, alignof(std::uint64_t));
    std::uint64_t const begin = static_cast<std::uint64_t>(team.league_rank()) * window;
    int const count = static_cast<int>(num_rows - begin < window ? num_rows - begin : window);
    std::uint64_t lengths[keys_per_thread], longest = 0,
                                            shortest = Kokkos::Experimental::finite_max_v<std::uint64_t>;
    for (int u = 0; u < keys_per_thread; ++u) {
      int const i = keys_per_thread * team.team_rank() + u;
      lengths[u] = 0;
      if (i >= count) continue;
      std::uint64_t const row = begin + static_cast<std::uint64_t>(i);
      lengths[u] = static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
      longest = lengths[u] > longest ? lengths[u] : longest;
      shortest = lengths[u] < shortest ? lengths[u] : shortest;
    }
    team.team_reduce(Kokkos::Max<std::uint64_t>(longest));
    team.team_reduce(Kokkos::Min<std::uint64_t>(shortest));
    if (longest - shortest < std::uint64_t(1) << (32 - position_bits))
      sort(team, static_cast<std::uint32_t*>(scratch), begin, count, lengths, longest);
    else
      sort(team, static_cast<std::uint64_t*>(scratch), begin, count, lengths, longest);
  }

 private:
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void sort(Member const& team, Key* scratch, std::uint64_t begin, int count,
                                        std::uint64_t const (&lengths)[keys_per_thread],
                                        std::uint64_t longest) const {
    constexpr Key none =
        ~Key(0);  // the last position of a full window with the shortest row has this key, and is last too
    int const first = keys_per_thread * team.team_rank();
    Key keys[keys_per_thread];
    for (int u = 0; u < keys_per_thread; ++u)
      keys[u] =
          first + u < count
              ? static_cast<Key>((longest - lengths[u]) << position_bits | static_cast<unsigned>(first + u))
              : none;
    for (int run = 2; run <= slots; run *= 2) {
      for (int distance = run / 2; distance >= min_slots; distance /= 2)
        exchange_in_scratch(team, keys, scratch, first, run, distance);
      for (int distance = run < min_slots ? run / 2 : min_slots / 2; distance >= keys_per_thread; distance /= 2)
        for (int u = 0; u < keys_per_thread; ++u)
          keep(keys[u], L::shuffle_xor(keys[u], distance / keys_per_thread), first + u, run, distance);
      if (run > 2) compare_in_thread<2>(keys, first, run);
      compare_in_thread<1>(keys, first, run);
    }
    UseLengths used = use;
    for (int u = 0; u < keys_per_thread; ++u) {
      if (first + u >= count) continue;
      std::uint64_t const key = keys[u];
      rows(begin + static_cast<std::uint64_t>(first + u)) =
          static_cast<Ordinal>(begin + (key & (max_window_in_scratch - 1)));
      used.visit(begin, first + u, longest - (key >> position_bits));
    }
    used.finish(team);
  }

  /// key <- the smaller of key and other, or the larger: in an ascending run the smaller one has the lower index.
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION static void keep(Key& key, Key other, int index, int run, int distance) {
    bool const keeps_smaller = ((index & distance) == 0) == ((index & run) == 0);
    if ((other < key) == keeps_smaller) key = other;
  }

  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void exchange_in_scratch(Member const& team, Key (&keys)[keys_per_thread],
                                                       Key* scratch, int first, int run, int distance) const {
    int const threads = team.team_size(), other = team.team_rank() ^ (distance / keys_per_thread);
    team.team_barrier();
    for (int u = 0; u < keys_per_thread; ++u) scratch[u * threads + team.team_rank()] = keys[u];
    team.team_barrier();
    for (int u = 0; u < keys_per_thread; ++u)
      keep(keys[u], scratch[u * threads + other], first + u, run, distance);
  }

  template <int distance, class Key>
  KOKKOS_FORCEINLINE_FUNCTION static void compare_in_thread(Key (&keys)[keys_per_thread], int first, int run) {
    for (int u = 0; u < keys_per_thread; ++u) {
      if ((u & distance) != 0) continue;
      Key const a = keys[u], b = keys[u + distance];
      bool const is_ascending = ((first + u) & run) == 0;
      if ((a > b) == is_ascending) {
        keys[u] = b;
        keys[u + distance] = a;
      }
    }
  }
};

/// 1 launch, asynchronous on exec.
/// @param use  gets each position and the length of its row
/// @pre 0 < window <= max_window_in_scratch
template <class Exec, class Matrix, class Rows, class UseLengths = IgnoreLengths>
void sort_windows_by_length(Exec const& exec, Matrix const& A, std::uint64_t window, Rows const& rows,
                            UseLengths const& use = {}) {
  using Functor = SortWindowsByLength<Exec, decltype(A.row_offsets), Rows, UseLengths>;
  auto const num_rows = static_cast<std::uint64_t>(A.num_rows);
  int slots = Functor::min_slots;
  while (static_cast<std::uint64_t>(slots) < window) slots *= 2;
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(ceil_div(num_rows, window)),
                                         slots / Functor::keys_per_thread);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(slots))));
  Kokkos::parallel_for("einkorn::rows_by_length", light_weight(policy),
                       Functor{A.row_offsets, rows, use, num_rows, window, slots});
}

}  // namespace einkorn::detail
