// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/host_rows.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The values of row i of C on its known columns, in the order of A's entries and then B's: in an accumulator
/// per column of C and thread, zero between rows.
template <class AMatrix, class BMatrix, class CMatrix>
struct HostNumericDense {
  using Scalar = typename CMatrix::scalar_type;
  using Ordinal = typename AMatrix::ordinal_type;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename AMatrix::memory_space>
      accumulators;  // [thread][columns]

  void operator()(std::size_t i, std::size_t thread) const {
    auto const row = static_cast<Ordinal>(i);
    auto const first = C.row_begin(row), end = C.row_end(row);
    if (first == end) return;
    Scalar* const sum = &accumulators(thread, 0);
    auto const* const columns_of_B = B.columns.data();
    auto const* const values_of_B = B.values.data();
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      Scalar const a(A.values(k));
      auto const j = A.columns(k);
      auto const stop = B.row_end(j);
      for (auto l = B.row_begin(j); l < stop; ++l) sum[columns_of_B[l]] += a * Scalar(values_of_B[l]);
    }
    for (auto p = first; p < end; ++p) {
      auto const column = C.columns(p);
      C.values(p) = sum[column];
      sum[column] = Scalar(0);
    }
  }
};

/// The values of row i of C, accumulated in C's row itself; a rank table gives the rank of a column. The data
/// fits the first caches, however many columns C has.
template <class AMatrix, class BMatrix, class CMatrix>
struct HostNumericHash {
  using Scalar = typename CMatrix::scalar_type;
  using Ordinal = typename AMatrix::ordinal_type;
  using Memory = typename AMatrix::memory_space;
  template <class T>
  using Scratch = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Scratch<Ordinal> keys;                  // [thread][slots of the longest row]
  Scratch<RankedColumns> ranked_columns;  // of the same size

  void operator()(std::size_t i, std::size_t thread) const {
    auto const row = static_cast<Ordinal>(i);
    auto const first = C.row_begin(row), end = C.row_end(row);
    if (first == end) return;
    auto const length = static_cast<std::size_t>(end - first);
    auto const capacity = static_cast<int>(table_capacity(length));
    RankTable<Ordinal, OneThread> const table{&keys(thread, 0), &ranked_columns(thread, 0), capacity};
    for (int slot = 0; slot < capacity; ++slot) table.clear(slot);
    auto const* const columns = C.columns.data() + first;
    Scalar* const sum = C.values.data() + first;
    for (std::size_t p = 0; p < length; ++p) {
      sum[p] = Scalar(0);
      table.insert(columns, static_cast<int>(p));
    }
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      Scalar const a(A.values(k));
      auto const j = A.columns(k);
      for (auto l = B.row_begin(j); l < B.row_end(j); ++l)
        sum[table.rank_of(B.columns(l))] += a * Scalar(B.values(l));
    }
  }
};

/// Makes plan.host_scratch for the values. entries: of A and B.
template <class Exec, class State>
void allocate_host_scratch(Exec const& exec, State& plan, std::size_t entries) {
  using Scalar = typename State::Matrix::scalar_type;
  auto& scratch = plan.host_scratch;
  auto const threads = RowParts<Exec>::threads(), columns = static_cast<std::size_t>(plan.num_cols);
  if (uses_dense_sums(columns, sizeof(Scalar), threads, entries + plan.columns.extent(0),
                      remaining_bytes(plan.options.workspace_limit, scratch.bytes()))) {
    scratch.accumulators =
        allocate_zeros<decltype(scratch.accumulators)>(exec, "einkorn::spgemm::sums", threads, columns);
  } else {
    std::size_t max_length = 0;
    auto const offsets = plan.row_offsets;
    range_reduce<std::size_t>(
        "einkorn::spgemm[max row length]", exec, static_cast<std::size_t>(plan.num_rows),
        [=](std::size_t i, std::size_t& max) {
          max = std::max(max, static_cast<std::size_t>(offsets(i + 1) - offsets(i)));
        },
        Kokkos::Max<std::size_t>(max_length));
    std::size_t const slots = host_table_slots(max_length);
    scratch.keys = allocate<decltype(scratch.keys)>(exec, "einkorn::spgemm::keys", threads, slots);
    scratch.ranked_columns =
        allocate<decltype(scratch.ranked_columns)>(exec, "einkorn::spgemm::ranked_columns", threads, slots);
  }
  require_workspace(plan.options, scratch.bytes());
  plan.report.workspace = std::max(plan.report.workspace, scratch.bytes());
}

/// All values of C. One launch.
template <class Exec, class State, class AMatrix, class BMatrix>
void compute_values_on_host(Exec const& exec, State const& plan, SpgemmNumericPath path, AMatrix const& A,
                            BMatrix const& B, typename State::Matrix const& C) {
  using CMatrix = typename State::Matrix;
  auto const& scratch = plan.host_scratch;
  RowParts<Exec> const parts{scratch.products, static_cast<std::size_t>(host_parts(exec))};
  if (path == SpgemmNumericPath::host_dense)
    parts.for_each_row(exec, "einkorn::spgemm[numeric,host dense]",
                       HostNumericDense<AMatrix, BMatrix, CMatrix>{A, B, C, scratch.accumulators});
  else
    parts.for_each_row(
        exec, "einkorn::spgemm[numeric,host hash]",
        HostNumericHash<AMatrix, BMatrix, CMatrix>{A, B, C, scratch.keys, scratch.ranked_columns});
}

}  // namespace einkorn::detail
