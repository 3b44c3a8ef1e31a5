// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstdint>
#include <vector>

/// The rows of the table, each made in a source file of its own. All are built for (double, int, int), (float,
/// int, int), (complex<double>, int, int) and (double, int64_t, size_t). A row that cannot be says why.
namespace einkorn::perf {

using Candidates = std::vector<Candidate>;

/// Ours: row_thread, row_team, segmented_sum, and what the plan chooses. einkorn/csr_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_csr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Where --algorithms names it: half of a symmetric A, and the way from there to all of it.
/// einkorn/half_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_half(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Ours: tiles, and the conversions from CSR. einkorn/csr5_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_csr5(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Ours: an SpMV, from_csr and update_values of each format. einkorn/<format>_spmv.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_coo(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_ell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_sell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_hyb(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_dia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_bdia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);
template <class Scalar, class Ordinal, class Offset>
void add_brcv(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows);

/// Ours: formats of a double problem with the values in float, x, y and sums in double; nothing for other
/// scalars. einkorn/float_values.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_float_values(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection,
                      Candidates& rows);

/// Ours: the time of structure(), and what select() chooses, by model and by measuring. einkorn/select.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_select(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// Kokkos Kernels through an SPMVHandle: native, its merge path, its default (a vendor's library where it was
/// built with one). peers/kokkos_kernels_*.cpp, one a scalar.
template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// Kokkos Kernels' BSR on the blocks that our own conversion finds, double and float with 32-bit indices only.
/// peers/kokkos_kernels_bsr.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_kokkos_kernels_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// cuSPARSE called directly: CSR by ALG1 and ALG2, each with and without preprocessing, COO and SELL.
/// peers/cusparse.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_cusparse(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// cuSPARSE's BSR on the blocks that our own conversion finds: cusparseSpMV (from cuSPARSE 12.6.3 on) and
/// bsrmv. peers/cusparse_bsr.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_cusparse_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

/// Eigen's row-major SparseMatrix, on the host, with OpenMP. peers/eigen.cpp.
template <class Scalar, class Ordinal, class Offset>
void add_eigen(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows);

}  // namespace einkorn::perf
