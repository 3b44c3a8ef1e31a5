// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/brcv/detail/mark_stripes.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace einkorn {

/// What a matrix would be in BRCV.
template <class Ordinal, class Offset>
struct StripeCounts {
  Ordinal p = 0;            ///< stripes: maximal runs of neighbouring rows with the same list of columns
  Offset list_entries = 0;  ///< columns in the lists of all stripes, each list once
};

namespace detail {

template <class Matrix, class Starts>
struct CountStripes {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Starts starts;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& p, Offset& columns) const {
    if (starts(row) == 0) return;
    ++p;
    columns += A.row_end(row) - A.row_begin(row);
  }
};

template <class Exec, class Matrix, class Starts>
StripeCounts<typename Matrix::ordinal_type, typename Matrix::offset_type> count_stripes(Exec const& exec,
                                                                                        Matrix const& A,
                                                                                        Starts const& starts) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  StripeCounts<Ordinal, Offset> counts;
  if (A.num_rows == 0) return counts;
  Kokkos::parallel_reduce("einkorn::stripes[count]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
                          CountStripes<Matrix, Starts>{A, starts}, Kokkos::Sum<Ordinal>(counts.p),
                          Kokkos::Sum<Offset>(counts.list_entries));
  return counts;
}

}  // namespace detail

/// Counts the stripes of A, on the device. Cost: reads row_offsets twice and columns twice, less where rows
/// differ early; a byte a row is allocated. Returns, so exec is fenced. Throws OutOfMemory, Error (Kokkos not
/// initialised). A must be valid.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
StripeCounts<Ordinal, Offset> stripes(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("stripes");
  return detail::count_stripes(exec, A, detail::mark_stripes(exec, A));
}

/// The patent's rule for a matrix of m rows in p stripes: p < (2m - 1) / 4, the quotient not rounded. It
/// follows from the sizes: b, rc and rv are 3p + 2 numbers where CSR has m + 1, and each of the m - p rows that
/// repeat a list saves at least one column, unless it is empty. For whole numbers 4p < 2m - 1 is 2p < m, which
/// this form asks without overflow.
template <std::signed_integral Ordinal>
constexpr bool prefers_brcv(Ordinal num_rows, Ordinal num_stripes) {
  return num_stripes < num_rows - num_stripes;
}

/// The same rule for A, whose stripes are counted: cost and errors as for stripes().
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool prefers_brcv(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return prefers_brcv(A.num_rows, stripes(exec, A).p);
}

}  // namespace einkorn
