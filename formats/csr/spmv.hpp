// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/spmv_dispatch.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// y <- alpha op(A) x + beta y for A in CSR, without a plan.
///
/// Shapes: x [columns of op(A)] or [.., k], y [rows of op(A)] or [.., k], of any layout, aligned to their
/// scalar. Aliasing: y must overlap neither x nor A (checked).
/// Special values: beta == 0 overwrites y, NaN in it included; alpha == 0 reads neither A nor x. A NaN or
/// infinity in A or x spreads to the rows that use it and to no other. Scalars: sums are taken in
/// sum_type<Scalar, x, y>, which is also the type of alpha and beta. Cost: 2 nnz flops a column; bytes = nnz
/// (scalar + ordinal) + (rows + 1) offset + cols scalar + rows scalar, and rows scalar more when beta != 0.
///
/// Algorithms: row_thread, row_team and, for a transpose, atomic_scatter. segmented_sum and sorted_rows need a
/// plan (csr/spmv_plan.hpp), as does a transpose with sums that repeat. Multivectors (SpMM): one pass over A
/// serves 8 columns. On a GPU they have kernels of their own, whichever of the row algorithms was asked for, in
/// which rows much longer than the mean are shared by several groups of lanes. Row-major x and y (stride(1) ==
/// 1) of 4 columns or more: lanes over the columns, so that each row of x is read in one piece, on a GPU for up
/// to 128 columns of as many as there are (32 where rows are not whole multiples of 16 bytes or do not begin at
/// one). Others: lanes over the rows, so that neighbouring rows with neighbouring columns read x in one piece.
///
/// Repeatable bit for bit, but for SpmvAlgorithm::atomic_scatter. Asynchronous on exec: no fence, no
/// allocation, nothing copied; 1 launch (2 for atomic_scatter and for multivectors on a GPU). Throws
/// DimensionMismatch (shapes), InvalidArgument (overlap, alignment; lanes; an algorithm or op that needs a
/// plan: a row longer than a thread's fair share and a transpose are what make_spmv_plan() is for). Source:
/// Bell & Garland, NVIDIA NVR-2008-004, CSR-scalar and CSR-vector; for multivectors
/// formats/spmm/detail/row_tile.hpp and spmm_column_tile.hpp.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Csr<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Csr<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Csr<Scalar, Ordinal, Offset, Device> const& A, X const& x_view,
          SpmvSum<Csr<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y_view,
          SpmvOptions const& options = {}) {
  using Sum = decltype(alpha);
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv_options(options);
  bool const transposed = is_transposed(options.op);
  detail::check_vectors(static_cast<std::size_t>(transposed ? A.num_cols : A.num_rows),
                        static_cast<std::size_t>(transposed ? A.num_rows : A.num_cols), x, y);
  detail::check_matrix(A, y);
  detail::check_entries<Offset>(A.values.extent(0));
  require<InvalidArgument>(!transposed || options.algorithm == SpmvAlgorithm::atomic_scatter,
                           "spmv: a transpose needs a plan (make_spmv_plan, which keeps the transpose) or "
                           "SpmvAlgorithm::atomic_scatter by name");
  require<InvalidArgument>(transposed || options.algorithm != SpmvAlgorithm::atomic_scatter,
                           "spmv: atomic_scatter is for a transpose only");
  require<InvalidArgument>(options.algorithm != SpmvAlgorithm::segmented_sum,
                           "spmv: segmented_sum needs a plan (make_spmv_plan)");
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[csr]");
  if (alpha == Sum(0) || A.nnz() == 0) return scale(exec, beta, y);
  Epilogue<Sum> const epilogue{alpha, beta};
  detail::with_conjugation<Scalar>(is_conjugated(options.op), [&](auto conjugated) {
    if (transposed)
      detail::spmv_scatter<conjugated()>(exec, epilogue, A, x, y);
    else
      detail::spmv_by_rows<conjugated()>(exec, detail::row_lanes<Exec>(A, options), epilogue, A, x, y);
  });
}

/// The same for a KokkosSparse::CrsMatrix, or anything of its shape, as it is.
template <ExecutionSpace Exec, CrsMatrixLike Matrix, class X, class Y>
requires SpmvOperands<Exec, Matrix, X, Y>
void spmv(
    Exec const& exec,
    std::type_identity_t<sum_type<typename Matrix::value_type, typename X::value_type, typename Y::value_type>>
        alpha,
    Matrix const& A, X const& x,
    std::type_identity_t<sum_type<typename Matrix::value_type, typename X::value_type, typename Y::value_type>>
        beta,
    Y const& y, SpmvOptions const& options = {}) {
  spmv(exec, alpha, as_csr(A), x, beta, y, options);
}

}  // namespace einkorn
