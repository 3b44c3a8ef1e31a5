// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/brcv/detail/mark_stripes.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace einkorn {

/// The sizes of a matrix in BRCV.
template <class Ordinal, class Offset>
struct StripeCounts {
  Ordinal p = 0;            ///< stripes: maximal runs of consecutive rows with the same list of columns
  Offset list_entries = 0;  ///< total length of the lists of columns, one list per stripe
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
  range_reduce<Ordinal>("einkorn::stripes[count]", exec, A.num_rows, CountStripes<Matrix, Starts>{A, starts},
                        Kokkos::Sum<Ordinal>(counts.p), Kokkos::Sum<Offset>(counts.list_entries));
  return counts;
}

}  // namespace detail

/// Counts the stripes of A on the device.
/// @pre A is valid.
/// @throws OutOfMemory, Error (Kokkos not initialised)
/// Cost: reads row_offsets twice and columns up to twice (the comparison of two rows stops at the first
/// difference); allocates one byte per row. Fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
StripeCounts<Ordinal, Offset> stripes(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("stripes");
  return detail::count_stripes(exec, A, detail::mark_stripes(exec, A));
}

/// Whether the patent (brcv.hpp) selects BRCV for m rows in p stripes: p < (2m - 1) / 4, a real quotient. The
/// rule follows from the memory: b, rc and rv have 3p + 2 elements, row_offsets of CSR has m + 1, and each of
/// the m - p rows that repeat a list saves at least one column unless it is empty. For integers 4p < 2m - 1 is
/// 2p < m, here without overflow.
template <std::signed_integral Ordinal>
constexpr bool prefers_brcv(Ordinal num_rows, Ordinal num_stripes) {
  return num_stripes < num_rows - num_stripes;
}

/// The same for A. Counts the stripes: cost and exceptions as for stripes().
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool prefers_brcv(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return prefers_brcv(A.num_rows, stripes(exec, A).p);
}

}  // namespace einkorn
