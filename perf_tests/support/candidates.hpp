// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstdint>
#include <vector>

/// The rows of the table, one source file per function. All are instantiated for (double, int, int), (float,
/// int, int), (complex<double>, int, int) and (double, int64_t, size_t). A row that cannot run has a reason.
namespace einkorn::perf {

using Candidates = std::vector<Candidate>;

/// Einkorn: the SpMV algorithms of CSR and the choice of the plan. einkorn/csr_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_csr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Only if --algorithms names it: the SpMV with the lower triangle of a symmetric A, and its expansion to a
/// full CSR. einkorn/half_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_half(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Einkorn: the SpMV of CSR5 and the conversions from CSR. einkorn/csr5_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_csr5(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Einkorn: SpMV, from_csr and update_values of each format. einkorn/<format>_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_coo(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_ell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_sell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_hyb(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_column_blocks(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection,
                       Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_dia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_bdia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_brcv(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Einkorn: values in float; x, y and sums in double. Adds rows to problems in double only.
/// einkorn/float_values.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_float_values(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection,
                      Candidates& rows);

/// Einkorn: the time of structure(), the choices of select() by model and with selection.effort, and that of
/// make_spmv_plan() with selection.effort. einkorn/select.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_select(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Kokkos Kernels with an SPMVHandle: native, merge path, default (a vendor library if it was built with one).
/// peers/kokkos_kernels_*.cpp, one file per scalar.
template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// BSR of Kokkos Kernels with the blocks of Einkorn's conversion, double and float with 32-bit indices only.
/// peers/kokkos_kernels_bsr.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// cuSPARSE: CSR with ALG1 and ALG2, each with and without preprocessing; COO; SELL.
/// peers/cusparse.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_cusparse(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// BSR of cuSPARSE with the blocks of Einkorn's conversion: cusparseSpMV (cuSPARSE 12.6.3 or newer) and bsrmv.
/// peers/cusparse_bsr.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_cusparse_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// Eigen's row-major SparseMatrix, on the host, with OpenMP. peers/eigen.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_eigen(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

}  // namespace einkorn::perf
