// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/candidates.hpp"
#include "support/measure.hpp"
#include "support/types.hpp"

#include <Kokkos_Core.hpp>

#include <string>

namespace einkorn::perf {

/// The product Y <- A X with k columns that every row of an SpMM table computes. Instantiated for double and
/// float, int32, both layouts.
template <class Scalar, class Layout>
struct SpmmProblem {
  Exec exec;
  Csr<Scalar, int, int, Device> A;
  Kokkos::View<Scalar const**, Layout, Device> x;  // [num_cols, k]
  Kokkos::View<Scalar**, Layout, Device> y;        // [num_rows, k]
};

/// Einkorn: CSR, BRCV, SELL. einkorn/spmm.cpp.
template <class Scalar, class Layout>
void add_spmm(SpmmProblem<Scalar, Layout> const& problem, Selection const& selection, Candidates& rows);

/// The algorithms of cuSPARSE for CSR, each with and without preprocessing. peers/cusparse_spmm.cpp.
template <class Scalar, class Layout>
void add_cusparse_spmm(SpmmProblem<Scalar, Layout> const& problem, Candidates& rows);

/// KokkosSparse::spmv with multivectors. peers/kokkos_kernels_spmm.cpp.
template <class Scalar, class Layout>
void add_kokkos_kernels_spmm(SpmmProblem<Scalar, Layout> const& problem, Candidates& rows);

/// As bench_matrix(), for SpMM with `columns` vectors.
template <class Scalar, class Layout>
MatrixReport bench_spmm(Exec const& exec, Bandwidth const& bandwidth, std::string const& name, int columns,
                        Selection const& selection, MeasureOptions const& measuring, bool verify);

}  // namespace einkorn::perf
