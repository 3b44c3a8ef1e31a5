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

/// The factors of a product; one load reads up to 16 bytes.
template <class Scalar>
struct alignas(alignof(Scalar) < 16 ? 2 * alignof(Scalar) : 16) Factors {
  Scalar a, b;
};

/// sum + products 0 .. count - 1, added in their order; several are loaded before the first is added.
template <class Scalar>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Scalar sum_in_order(Scalar sum, Factors<Scalar> const* factors,
                                                              int count) {
  constexpr int batch = 4;
  int i = 0;
  for (; i + batch <= count; i += batch) {
    Factors<Scalar> loaded[batch];
    for (int j = 0; j < batch; ++j) loaded[j] = factors[i + j];
    for (int j = 0; j < batch; ++j) add_fused(sum, loaded[j].a, loaded[j].b);
  }
  for (; i < count; ++i) add_fused(sum, factors[i].a, factors[i].b);
  return sum;
}

/// The values of a chunk of a long row of C by a team, each sum in the order of A's entries, without atomics. The
/// entries of B for up to max_staged entries of A are concatenated; each thread has one product of a step. The
/// products of a step are stored by column, those of a column in the order of the threads; then the thread with the first
/// product of a column adds all of them.
///
/// The position of a column in the chunk: from its key and the bits below it, if the keys of the chunk span at most
/// batch.slots words, else by binary search.
/// @pre the columns of C's rows are sorted; a team has at most max_threads threads
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
struct NumericTeamChunk {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using L = Lanes<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;

  static constexpr int max_staged = 256, max_threads = 256;
  static constexpr int max_warps = L::size > 1 ? max_threads / L::size : 0;  // the host: one thread, no warps
  static_assert(max_warps <= 8, "einkorn::NumericTeamChunk: a warp has a byte of counts");

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
  // Of the products of a step.
  Factors<Scalar>* factors = nullptr;    // [max_threads], by column
  std::uint64_t* counts = nullptr;       // [size], byte w: of warp w with this column
  std::uint16_t* starts = nullptr;       // [size], in factors, of the columns of this step
  int* num_stored = nullptr;             // in factors
  std::int64_t* block_totals = nullptr;  // [max_warps]
  Ordinal min_column = 0, max_column = 0, min_key = 0;
  bool has_ranks = false;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int max_sums, int max_words) {
    return array_bytes<Scalar>(max_sums) + array_bytes<RankedColumns>(max_words) +
           array_bytes<Segment>(max_staged) + (L::size > 1 ? bytes_of_steps(max_sums) : 0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(RowBatch const& batch) {
    auto* scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes(batch.sums, batch.slots), 16));
    sums = take_array<Scalar>(scratch, batch.sums);
    ranks = take_array<RankedColumns>(scratch, batch.slots);
    segments = take_array<Segment>(scratch, max_staged);
    if constexpr (L::size > 1) {
      factors = take_array<Factors<Scalar>>(scratch, max_threads);
      counts = take_array<std::uint64_t>(scratch, batch.sums);
      starts = take_array<std::uint16_t>(scratch, batch.sums);
      num_stored = take_array<int>(scratch, 1);
      block_totals = take_array<std::int64_t>(scratch, max_warps);
    }
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

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes_of_steps(int max_sums) {
    return array_bytes<Factors<Scalar>>(max_threads) + array_bytes<std::uint64_t>(max_sums) +
           array_bytes<std::uint16_t>(max_sums) + array_bytes<int>(1) + array_bytes<std::int64_t>(max_warps);
  }
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
      if constexpr (L::size > 1) counts[i] = 0;
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
    concatenate(staged);
    team.team_barrier();
    return staged;
  }

  /// Segment::end: count -> end in the concatenation. Each warp scans blocks of L::size segments.
  KOKKOS_FORCEINLINE_FUNCTION void concatenate(int staged) const {
    if constexpr (L::size == 1) {
      std::int64_t before = 0;
      for (int s = 0; s < staged && thread() == 0; ++s) {
        segments[s].first -= before;
        before = segments[s].end += before;
      }
    } else {
      int const lane = thread() % L::size;
      for (int s = thread(); s - lane < staged; s += threads()) {
        std::int64_t const count = s < staged ? segments[s].end : 0;
        std::int64_t const up_to = inclusive_scan_over_lanes<L>(count, lane);
        if (s < staged) {
          segments[s].first -= up_to - count;
          segments[s].end = up_to;
        }
        if (lane == L::size - 1) block_totals[s / L::size] = up_to;
      }
      team.team_barrier();
      for (int s = thread(); s < staged; s += threads()) {
        std::int64_t before = 0;
        for (int block = 0; block < s / L::size; ++block) before += block_totals[block];
        segments[s].first -= before;
        segments[s].end += before;
      }
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
    } else {
      Product next = load(thread());
      for (std::int64_t done = 0; done < total; done += threads()) {
        Product const one = next;
        next = load(done + threads() + thread());
        add_step(one);
      }
    }
  }

  /// Adds one product per thread. 3 barriers.
  KOKKOS_FORCEINLINE_FUNCTION void add_step(Product const& one) const {
    int const at = one.column < 0 ? none : find(one.column);
    int const own = thread(), warp = own / L::size, lane = own % L::size;
    // Positions are at least 0: a lane without a product gets a number of its own.
    auto const equal = EqualLanes<L>::mask(at == none ? -1 - lane : at, own);
    auto const below = (typename L::Mask(1) << lane) - 1;
    bool const is_first_of_warp = at != none && (equal & below) == 0;
    auto* const count_of_warp = reinterpret_cast<unsigned char*>(counts + (at == none ? 0 : at)) + warp;
    L::sync();  // other lanes have cleared their counts
    if (is_first_of_warp) *count_of_warp = static_cast<unsigned char>(Kokkos::popcount(equal));
    if (own == 0) *num_stored = 0;
    team.team_barrier();

    std::uint64_t const all = at == none ? 0 : counts[at],
                        of_warps_before = all & ((std::uint64_t(1) << (8 * warp)) - 1);
    bool const is_first = is_first_of_warp && of_warps_before == 0;
    int const count = is_first ? sum_of_bytes(all) : 0, up_to = inclusive_scan_over_lanes<L>(count, lane);
    int start = 0;
    if (lane == L::size - 1 && up_to > 0) start = L::fetch_add(num_stored, up_to);
    start = L::shuffle(start, L::size - 1) + up_to - count;
    if (is_first) starts[at] = static_cast<std::uint16_t>(start);
    team.team_barrier();

    if (at != none)
      factors[starts[at] + sum_of_bytes(of_warps_before) + static_cast<int>(Kokkos::popcount(equal & below))] =
          {one.a, one.b};
    team.team_barrier();

    if (is_first_of_warp) *count_of_warp = 0;
    if (is_first) sums[at] = sum_in_order(sums[at], factors + start, count);
  }

  KOKKOS_FORCEINLINE_FUNCTION static int sum_of_bytes(std::uint64_t bytes) {
    constexpr std::uint64_t even_bytes = 0x00ff00ff00ff00ffu, ones = 0x0001000100010001u;
    return static_cast<int>(((bytes & even_bytes) + (bytes >> 8 & even_bytes)) * ones >> 48);
  }
};

}  // namespace einkorn::detail
