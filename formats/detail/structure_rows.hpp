// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Where the kernels of structure() leave what they find: counts in device memory, read by the host once, and a
/// flag for every diagonal. Diagonal d = j - i has flag d + num_rows - 1.
template <class Device>
struct Findings {
  using Counts = Kokkos::View<std::int64_t*, Device>;
  enum Slot : int {
    longest_row,
    sum_of_squares,
    lower_bandwidth,
    upper_bandwidth,
    unsorted_rows,
    stripes,
    stripe_columns,
    slice_slots,
    window_slots,
    window_entries,
    diagonals,
    bands,
    band_diagonals,
    blocks = 16,         // + b: blocks in the sample
    block_entries = 32,  // + b: entries in the sample
    histogram = 48,      // + i, 64 of them
    size = 112
  };

  Counts counts;                        // [size]
  Kokkos::View<int*, Device> diagonal;  // [rows + columns - 1], 1 where an entry lies

  template <class Exec>
  Findings(Exec const& exec, std::size_t num_diagonals)
      : counts(allocate<Counts>(exec, "einkorn::structure::counts", size)),
        diagonal(allocate<Kokkos::View<int*, Device>>(exec, "einkorn::structure::diagonals", num_diagonals)) {
    Kokkos::deep_copy(exec, counts, 0);
    Kokkos::deep_copy(exec, diagonal, 0);
  }

  template <class Exec>
  std::array<std::int64_t, size> read(Exec const& exec) const {
    std::array<std::int64_t, size> result{};
    Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), size);
    Kokkos::deep_copy(exec, host, counts);
    exec.fence("einkorn::structure: what was found is read");
    return result;
  }
};

/// Lengths, bandwidths, diagonals, order and stripes in one pass over the rows. A group of `lanes` threads has
/// a row, a team a few blocks of rows. Counts are integers: gathered a thread, then a team in scratch, then
/// all, in any order.
template <int lanes, class Exec, class Matrix, class Device>
struct LookAtRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Found = Findings<Device>;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using L = Lanes<Exec>;

  static constexpr int team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr int held = 2;  // entries of a row whose diagonals a thread remembers from its row before
  static constexpr std::int64_t rows_a_block = is_gpu<Exec> ? 4 * team_size / lanes : 1024;
  static constexpr std::size_t scratch_bytes = Found::size * sizeof(std::int64_t);

  Matrix A;
  Found found;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const local =
        static_cast<std::int64_t*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(std::int64_t)));
    for (int i = team.team_rank(); i < Found::size; i += team.team_size()) local[i] = 0;
    team.team_barrier();
    std::int64_t own[Found::stripe_columns + 1] = {};
    std::int64_t distance[held];
    for (auto& of_entry : distance) of_entry = static_cast<std::int64_t>(A.num_cols);  // which none has
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    std::int64_t const block = rows_a_block;
    for (std::int64_t first = team.league_rank() * block; first < rows; first += team.league_size() * block)
      for (std::int64_t row = first + team.team_rank() / lanes; row - team.team_rank() / lanes < first + block;
           row += team.team_size() / lanes)
        look_at(row, row < rows && row < first + block, team.team_rank() % lanes, distance, own, local);
    for (int i = 0; i <= Found::stripe_columns; ++i) gather(i, &local[i], own[i]);
    team.team_barrier();
    for (int i = team.team_rank(); i < Found::size; i += team.team_size())
      gather(i, &found.counts(i), local[i]);
  }

 private:
  /// On a GPU through the first-level cache, which may show what was there before: a flag is then stored again.
  /// Read atomically, flags of few diagonals would be asked of one line of the second-level cache.
  static KOKKOS_FORCEINLINE_FUNCTION bool is_clear(int const* flag) {
    if constexpr (is_gpu<Exec>)
      return *flag == 0;
    else
      return Kokkos::atomic_load(flag) == 0;
  }
  static KOKKOS_FUNCTION bool is_largest(int slot) {
    return slot == Found::longest_row || slot == Found::lower_bandwidth || slot == Found::upper_bandwidth;
  }
  static KOKKOS_FUNCTION void gather(int slot, std::int64_t* to, std::int64_t value) {
    if (value == 0) return;
    if (is_largest(slot))
      Kokkos::atomic_max(to, value);
    else
      Kokkos::atomic_add(to, value);
  }

  /// An entry on another diagonal than the entry in its place in the row before.
  KOKKOS_FORCEINLINE_FUNCTION void look_at_diagonal(std::int64_t distance, std::int64_t* own) const {
    if (-distance > own[Found::lower_bandwidth]) own[Found::lower_bandwidth] = -distance;
    if (distance > own[Found::upper_bandwidth]) own[Found::upper_bandwidth] = distance;
    int* const flag =
        &found.diagonal(static_cast<std::size_t>(distance + static_cast<std::int64_t>(A.num_rows) - 1));
    if (is_clear(flag)) Kokkos::atomic_store(flag, 1);
  }

  KOKKOS_FUNCTION void look_at(std::int64_t row, bool inside, int lane, std::int64_t (&distance)[held],
                               std::int64_t* own, std::int64_t* local) const {
    Offset begin = 0, end = 0, before = 0;
    if (inside) {
      begin = A.row_begin(static_cast<Ordinal>(row));
      end = A.row_end(static_cast<Ordinal>(row));
      before = row > 0 ? A.row_begin(static_cast<Ordinal>(row - 1)) : begin;
    }
    Offset const length = end - begin;
    bool const alike = row > 0 && begin - before == length;  // a row like the one above may go on its stripe
    int differs = 0, unsorted = 0;
    for (Offset first = begin + static_cast<Offset>(lane); first < end; first += held * lanes)
      for (int u = 0; u < held; ++u) {
        Offset const k = first + static_cast<Offset>(u * lanes);
        if (k >= end) break;
        auto const column = static_cast<std::int64_t>(A.columns(k));
        if (column - row != distance[u]) {
          distance[u] = column - row;
          look_at_diagonal(distance[u], own);
        }
        if (k > begin && static_cast<std::int64_t>(A.columns(k - 1)) >= column) unsorted = 1;
        if (alike && differs == 0 && static_cast<std::int64_t>(A.columns(k - length)) != column) differs = 1;
      }
    differs = sum_over_lanes<L, lanes>(differs);
    unsorted = sum_over_lanes<L, lanes>(unsorted);
    if (!inside || lane != 0) return;
    auto const count = static_cast<std::int64_t>(length);
    if (count > own[Found::longest_row]) own[Found::longest_row] = count;
    own[Found::sum_of_squares] += count * count;
    own[Found::unsorted_rows] += unsorted > 0;
    if (!alike || differs > 0) {
      ++own[Found::stripes];
      own[Found::stripe_columns] += count;
    }
    int bin = 0;
    for (auto left = count; left > 0; left >>= 1) ++bin;
    Kokkos::atomic_inc(&local[Found::histogram + bin]);
  }
};

template <int lanes, class Exec, class Matrix, class Device>
void look_at_rows(Exec const& exec, Matrix const& A, Findings<Device> const& findings) {
  using Functor = LookAtRows<lanes, Exec, Matrix, Device>;
  std::int64_t const blocks =
      (static_cast<std::int64_t>(A.num_rows) + Functor::rows_a_block - 1) / Functor::rows_a_block;
  std::int64_t const most = is_gpu<Exec> ? 1056 : exec.concurrency();  // 132 multiprocessors, 8 teams each
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(std::min(blocks, most)), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(std::int64_t))));
  Kokkos::parallel_for("einkorn::structure[rows]", policy, Functor{A, findings});
}

template <class Exec, class Matrix, class Device>
void look_at_rows(Exec const& exec, Matrix const& A, Findings<Device> const& findings) {
  if constexpr (is_gpu<Exec>) {
    double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
    if (mean <= 12.0) return look_at_rows<4>(exec, A, findings);
    return look_at_rows<16>(exec, A, findings);
  } else {
    look_at_rows<1>(exec, A, findings);
  }
}

}  // namespace einkorn::detail
