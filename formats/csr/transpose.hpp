// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/transpose_order.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// A transpose and the source of its entries: entry k of `matrix` is entry source(k) of A.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Transpose {
  Csr<Scalar, Ordinal, Offset, Device> matrix;
  Kokkos::View<Offset*, Device> source;  // [nnz]
};

namespace detail {

template <class Offset, class Source, class From, class To>
struct CopyFromSource {
  Source source;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(Offset k) const { to(k) = from(source(k)); }
};

}  // namespace detail

/// values(k) <- A.values(source(k)): new values with the same structure. Asynchronous on exec; 1 launch.
template <ExecutionSpace Exec, class Scalar, class Source, class Ordinal, class Offset, class Device>
void update_values(Exec const& exec, Transpose<Scalar, Ordinal, Offset, Device> const& transposed,
                   Csr<Source, Ordinal, Offset, Device> const& A) {
  auto const source = transposed.source;
  auto const from = A.values;
  auto const to = transposed.matrix.values;
  range_for<Offset>("einkorn::update_values[transpose]", exec, A.nnz(),
                    detail::CopyFromSource<Offset, decltype(transposed.source), decltype(A.values),
                                           decltype(transposed.matrix.values)>{source, from, to});
}

namespace detail {

template <class Rows, class Offsets, class Source>
struct RowsOfSource {
  using Ordinal = typename Rows::non_const_value_type;

  Rows rows;
  Offsets old_offsets;
  Source source;
  Ordinal num_rows;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    rows(k) = row_of_entry(old_offsets, num_rows, source(k));
  }
};

}  // namespace detail

/// The transpose of A. Within a row of the result the columns increase; repeated positions keep their order.
/// @throws OverflowError if num_cols times nnz exceeds 2^64
/// @throws OutOfMemory
///
/// Cost: a sort of nnz 64-bit keys on a GPU, two counting passes on the host. Deterministic, the same on every
/// backend.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Transpose<std::remove_const_t<Scalar>, Ordinal, Offset, Device> transpose(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  using T = std::remove_const_t<Scalar>;
  if constexpr (!std::is_const_v<Scalar>)  // compiled once for both
    return transpose(exec, Csr<T const, Ordinal, Offset, Device>(A));
  require_kokkos("transpose");
  Transpose<T, Ordinal, Offset, Device> result;
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const offsets = allocate_zeros<Kokkos::View<Offset*, Device>>(exec, "einkorn::transpose::row_offsets",
                                                                     static_cast<std::size_t>(A.num_cols) + 1);
  using Rows = Kokkos::View<Ordinal*, Device>;
  using Values = Kokkos::View<T*, Device>;
  auto const rows = allocate<Rows>(exec, "einkorn::transpose::columns", nnz);
  auto const values = allocate<Values>(exec, "einkorn::transpose::values", nnz);
  result.source = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::transpose::source", nnz);
  detail::order_by_column(exec, A, offsets, result.source);
  auto const source = result.source;
  auto const old_offsets = A.row_offsets;
  auto const num_rows = A.num_rows;
  range_for<std::size_t>("einkorn::transpose[rows]", exec, nnz,
                         detail::RowsOfSource<Rows, decltype(A.row_offsets), decltype(result.source)>{
                             rows, old_offsets, source, num_rows});
  result.matrix = {A.num_cols, A.num_rows, offsets, rows, values};
  update_values(exec, result, A);
  return result;
}

}  // namespace einkorn
