// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/lanes/equal_lanes.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// sum <- sum + a b, rounded once if Scalar is real on a GPU, as compilers fuse it in the other numeric kernels. In a
/// loop they may compute a b before, rounded.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_fused(Scalar& sum, Scalar const& a, Scalar const& b) {
  if constexpr (std::is_floating_point_v<Scalar>) {
    KOKKOS_IF_ON_DEVICE((sum = Kokkos::fma(a, b, sum);))
    KOKKOS_IF_ON_HOST((sum += a * b;))
  } else {
    sum += a * b;
  }
}

/// The values of a chunk of a long row of C by a team, each sum in the order of A's entries, without atomics. The
/// entries of B for up to max_staged entries of A are concatenated; each thread computes one product of a step; the
/// warps of the team add their products one warp after another, and lanes with the same column one after another.
///
/// The position of a column in the chunk: from its key and the bits below it, if the keys of the chunk span at most
/// batch.slots words, else by binary search.
/// @pre the columns of C's rows are sorted
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
struct NumericTeamChunk {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using L = Lanes<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;

  static constexpr int max_staged = 128;

  /// Entries of B for an entry of A: product p of the concatenation is that of entry first + p, p < end.
  struct Segment {
    Scalar a;
    std::int64_t first, end;
  };

  AMatrix const& A;
  BMatrix const& B;
  CMatrix const& C;
  Member const& team;
  Ordinal row;
  Offset first;  // of the chunk, in C
  int size;
  bool is_whole_row, sorted_B;

  Scalar* sums = nullptr;          // [size]
  RankedColumns* ranks = nullptr;  // by key - min_key
  Segment* segments = nullptr;     // [max_staged]
  Ordinal min_column = 0, max_column = 0, min_key = 0;
  bool has_ranks = false;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int max_sums, int max_words) {
    return array_bytes<Scalar>(max_sums) + array_bytes<RankedColumns>(max_words) +
           array_bytes<Segment>(max_staged);
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(RowBatch const& batch) {
    auto* scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes(batch.sums, batch.slots), 16));
    sums = take_array<Scalar>(scratch, batch.sums);
    ranks = take_array<RankedColumns>(scratch, batch.slots);
    segments = take_array<Segment>(scratch, max_staged);
    if (size == 0) return;
    rank_columns(batch.slots);
    auto const begin = A.row_begin(row);
    auto const count = static_cast<std::int64_t>(A.row_end(row) - begin);
    for (std::int64_t done = 0; done < count; done += max_staged) {
      int const staged = stage(begin + static_cast<decltype(begin)>(done), count - done);
      add_products(staged);
    }
    team.team_barrier();
    for (int i = thread(); i < size; i += threads()) C.values(first + static_cast<Offset>(i)) = sums[i];
  }

 private:
  static constexpr int none = -1;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int thread() const { return static_cast<int>(team.team_rank()); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int threads() const { return static_cast<int>(team.team_size()); }

  KOKKOS_FORCEINLINE_FUNCTION void rank_columns(int max_words) {
    auto const* const columns = C.columns.data() + first;
    min_column = columns[0];
    max_column = columns[size - 1];
    min_key = key_of(min_column);
    auto const words = static_cast<std::int64_t>(key_of(max_column) - min_key) + 1;
    has_ranks = words <= max_words;
    if (has_ranks)
      for (auto w = static_cast<std::int64_t>(thread()); w < words; w += threads()) ranks[w] = {0, 0};
    team.team_barrier();
    for (int i = thread(); i < size; i += threads()) {
      sums[i] = Scalar(0);
      if (!has_ranks) continue;
      Ordinal const key = key_of(columns[i]);
      RankedColumns& word = ranks[key - min_key];
      L::atomic_or(&word.mask, bit_of(columns[i]));
      if (i == 0 || key_of(columns[i - 1]) != key) word.first_rank = i;
    }
  }

  /// The position of a column in the chunk, or none.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int find(Ordinal column) const {
    if (column < min_column || column > max_column) return none;
    if (has_ranks) {
      RankedColumns const word = ranks[key_of(column) - min_key];
      std::uint32_t const bit = bit_of(column);
      return (word.mask & bit) != 0 ? word.first_rank + bits_below(word.mask, bit) : none;
    }
    auto const* const columns = C.columns.data() + first;
    int const at = lower_bound_index([=](int i) { return columns[i]; }, 0, size, column);
    return columns[at] == column ? at : none;  // column <= max_column, so at < size
  }

  /// Stages entries of A from `entry` on, of which `left` remain. Returns their number.
  template <class AOffset>
  KOKKOS_FORCEINLINE_FUNCTION int stage(AOffset entry, std::int64_t left) const {
    int const staged = left < max_staged ? static_cast<int>(left) : max_staged;
    team.team_barrier();  // the previous segments have been read
    for (int s = thread(); s < staged; s += threads()) {
      AOffset const k = entry + static_cast<AOffset>(s);
      Ordinal const j = A.columns(k);
      auto from = B.row_begin(j), end = B.row_end(j);
      if (!is_whole_row && sorted_B) {
        from = lower_bound_index(B.columns, from, end, min_column);
        end = lower_bound_index(B.columns, from, end, static_cast<Ordinal>(max_column + 1));
      }
      segments[s] = {Scalar(A.values(k)), static_cast<std::int64_t>(from),
                     static_cast<std::int64_t>(end - from)};
    }
    team.team_barrier();
    if (thread() < L::size) concatenate(staged);
    team.team_barrier();
    return staged;
  }

  /// Segment::end: count -> end in the concatenation. By the first warp.
  KOKKOS_FORCEINLINE_FUNCTION void concatenate(int staged) const {
    std::int64_t before = 0;
    for (int begin = 0; begin < staged; begin += L::size) {
      int const s = begin + thread();
      std::int64_t const count = s < staged ? segments[s].end : 0;
      std::int64_t up_to = count;
      for (int distance = 1; distance < L::size; distance *= 2) {
        std::int64_t const other = L::shuffle(up_to, thread() < distance ? thread() : thread() - distance);
        if (thread() >= distance) up_to += other;
      }
      if (s < staged) {
        segments[s].first -= before + up_to - count;
        segments[s].end = before + up_to;
      }
      before += L::shuffle(up_to, L::size - 1);
    }
  }

  struct Product {
    Scalar a, b;
    Ordinal column;
  };

  KOKKOS_FORCEINLINE_FUNCTION void add_products(int staged) const {
    std::int64_t const total = segments[staged - 1].end;
    int own_segment = 0;
    auto const load = [&](std::int64_t p) -> Product {
      if (p >= total) return {Scalar(0), Scalar(0), Ordinal(-1)};
      if (segments[own_segment].end <= p)  // the first segment that ends after p
        own_segment =
            lower_bound_index([&](int s) { return segments[s].end; }, own_segment + 1, staged - 1, p + 1);
      std::int64_t const at = segments[own_segment].first + p;
      return {segments[own_segment].a, Scalar(B.values(at)), B.columns(at)};
    };
    if constexpr (L::size == 1) {  // a host: one thread, without barriers
      for (std::int64_t p = 0; p < total && thread() == 0; ++p) {
        Product const one = load(p);
        int const at = find(one.column);
        if (at != none) sums[at] += one.a * one.b;
      }
      return;
    }
    int const own_warp = thread() / L::size;
    Product next = load(thread());
    for (std::int64_t done = 0; done < total; done += threads()) {
      Product const one = next;
      next = load(done + threads() + thread());
      int const at = one.column < 0 ? none : find(one.column);
      // Positions are at least 0: a lane without a product gets a number of its own.
      int const turn = EqualLanes<L>::before(at == none ? -1 - thread() : at, thread(), L::size);
      std::int64_t const left = total - done;
      int const warps = static_cast<int>(
          ((left < threads() ? left : static_cast<std::int64_t>(threads())) + L::size - 1) / L::size);
      for (int warp = 0; warp < warps; ++warp) {
        if (warp == own_warp)
          for (int t = 0; L::ballot(turn >= t) != 0; ++t) {
            if (turn == t && at != none) add_fused(sums[at], one.a, one.b);
            L::sync();
          }
        team.team_barrier();
      }
    }
  }
};

}  // namespace einkorn::detail
