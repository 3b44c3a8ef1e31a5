// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/sum_counts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

/// What the symbolic phase needs to know about A and B.
struct OperandAnalysis {
  RowOrder order;                    ///< of B
  std::uint64_t num_compressed = 0;  ///< pairs that the rows of B would be compressed to
  std::uint64_t products = 0;
  /// Of row_class_sample_size rows spread over A, and over B: those that are a translation of one of the rows
  /// before them.
  std::uint64_t repeated_A = 0, repeated_B = 0;
  std::uint64_t bins[SpgemmTuning::num_symbolic_bins] = {};  ///< rows of C per symbolic bin, if counted
};

/// Counts the entries of an OperandAnalysis. Work items in this order: groups of four columns of B, rows of B,
/// entries of A, sampled rows of A, sampled rows of B, rows of C.
template <class AMatrix, class BMatrix, class BinOf>
struct AnalyzeOperands {
  enum Counter : int { descents, equals, keys, products, repeated_A, repeated_B, bins };
  static constexpr int num_counters = bins + SpgemmTuning::num_symbolic_bins;
  using Sums = Counts<num_counters>;
  using Ordinal = typename BMatrix::ordinal_type;
  using Neighbours = decltype(column_neighbours(std::declval<BMatrix>()));

  AMatrix A;
  BMatrix B;
  Neighbours neighbours;               // of B
  std::size_t nnz_A = 0, samples = 0;  // numbers of work items
  bool counts_entries = true;          // false: samples only
  BinOf bin_of;
  std::size_t rows_C = 0;  // 0: bins are not counted

  [[nodiscard]] std::size_t num_items() const {
    return (counts_entries ? neighbours.num_items() + nnz_A : 0) + 2 * samples + rows_C;
  }

  KOKKOS_FUNCTION void operator()(std::size_t i, Sums& counts) const {
    if (counts_entries) {
      if (i < neighbours.num_items()) return compare_columns(i, counts);
      i -= neighbours.num_items();
      if (i < nnz_A) {
        auto const j = A.columns(i);
        counts.add(products, static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j)));
        return;
      }
      i -= nnz_A;
    }
    if (i < samples)
      counts.add(repeated_A, is_repeated(A, i) ? 1 : 0);
    else if (i < 2 * samples)
      counts.add(repeated_B, is_repeated(B, i - samples) ? 1 : 0);
    else
      counts.template add_one_of<bins, SpgemmTuning::num_symbolic_bins>(bin_of(i - 2 * samples));
  }

 private:
  /// As CountDisorder; also counts the keys: the first entry of a row begins one in any case.
  KOKKOS_FORCEINLINE_FUNCTION void compare_columns(std::size_t i, Sums& counts) const {
    neighbours.visit(
        i,
        [&](Ordinal before, Ordinal column) {
          if (before > column) counts.add(descents, 1);
          if (before == column) counts.add(equals, 1);
          if (before < 0 || key_of(before) != key_of(column)) counts.add(keys, 1);
        },
        [&](Ordinal before, Ordinal column) {
          if (before > column) counts.add(descents, ~std::uint64_t(0));  // - 1
          if (before == column) counts.add(equals, ~std::uint64_t(0));   // - 1
          if (key_of(before) == key_of(column)) counts.add(keys, 1);
        });
  }

  /// Whether sampled row s has, in its first 64 entries, the columns of one of the eight rows before it up to a
  /// constant shift, which must not be 0: the rows of one node of a mesh have equal columns on any mesh. The sample
  /// is one row at a scattered place of each of `samples` equal parts: the first rows of the parts of a grid of
  /// 256 x 256 x 256 points would all lie on one of its faces.
  template <class Matrix>
  KOKKOS_FORCEINLINE_FUNCTION bool is_repeated(Matrix const& M, std::size_t s) const {
    constexpr Ordinal lookback = 8, max_entries = 64;
    auto const rows = static_cast<std::size_t>(M.num_rows);
    if (rows < 2) return false;
    std::size_t const part = 1 + s * (rows - 1) / samples,
                      size_of_part = 1 + (s + 1) * (rows - 1) / samples - part;
    auto const scattered = static_cast<std::size_t>((s * 2654435761u) >> 8 & 0xffffffu);
    auto const row = static_cast<Ordinal>(size_of_part > 1 ? part + scattered % size_of_part : part);
    auto const begin = M.row_begin(row), size = M.row_end(row) - begin;
    if (size == 0) return false;
    for (Ordinal d = 1; d <= lookback && d <= row; ++d) {
      auto const other = M.row_begin(row - d);
      if (M.row_end(row - d) - other != size) continue;
      bool is_same = M.columns(begin) != M.columns(other);
      for (Ordinal k = 1;
           is_same && k < max_entries && static_cast<std::uint64_t>(k) < static_cast<std::uint64_t>(size); ++k)
        is_same = M.columns(begin + k) - M.columns(begin) == M.columns(other + k) - M.columns(other);
      if (is_same) return true;
    }
    return false;
  }
};

/// Reads the columns of A and B once (counts_entries), and samples their rows (samples > 0); 1 launch; fences
/// exec. A and B must be valid. bin_of(i): the symbolic bin of row i, counted for i < rows_C.
template <class Exec, class AMatrix, class BMatrix, class BinOf>
OperandAnalysis analyze_operands(Exec const& exec, AMatrix const& A, BMatrix const& B, std::size_t samples,
                                 bool counts_entries, BinOf const& bin_of, std::size_t rows_C,
                                 CountTotals<Exec>& totals) {
  using Functor = AnalyzeOperands<AMatrix, BMatrix, BinOf>;
  Functor functor;
  functor.bin_of = bin_of;
  functor.rows_C = rows_C;
  functor.A = A;
  functor.B = B;
  functor.neighbours = column_neighbours(B);
  functor.nnz_A = static_cast<std::size_t>(A.nnz());
  functor.samples = samples;
  functor.counts_entries = counts_entries;
  auto const sums =
      sum_counts<Functor::num_counters>(exec, "einkorn::spgemm[analyze]", totals, functor.num_items(), functor);
  auto const& counts = sums.of;
  OperandAnalysis result;
  result.order = {counts[Functor::descents] == 0, counts[Functor::equals] != 0};
  result.num_compressed = counts[Functor::keys];
  result.products = counts[Functor::products];
  result.repeated_A = counts[Functor::repeated_A];
  result.repeated_B = counts[Functor::repeated_B];
  for (int bin = 0; bin < SpgemmTuning::num_symbolic_bins; ++bin)
    result.bins[bin] = counts[Functor::bins + bin];
  return result;
}

}  // namespace einkorn::detail
