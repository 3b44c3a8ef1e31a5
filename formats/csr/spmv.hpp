// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/spmv_row_split.hpp>
#include <einkorn/formats/csr/detail/spmv_row_team.hpp>
#include <einkorn/formats/spmm/choose.hpp>
#include <einkorn/formats/spmm/detail/column_tile.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace einkorn {

namespace detail {

/// Throws InvalidArgument for options that are invalid for every matrix: values that are no enumerators, lanes
/// that are no power of two up to 64, and sorted_rows, row_bins or nonzero_split without a plan.
inline void check_spmv_options(SpmvOptions const& options, bool with_plan = false) {
  require_enumerator(options.op, Op::conjugate_transpose, "spmv: op");
  require_enumerator(options.algorithm, SpmvAlgorithm::atomic_scatter, "spmv: algorithm");
  int const lanes = options.lanes;
  require<InvalidArgument>(lanes >= 0 && lanes <= 64 && (lanes & (lanes - 1)) == 0, [&] {
    return detail::joined("spmv: lanes is ", lanes, ", expected 0 or a power of two up to 64");
  });
  require<InvalidArgument>(with_plan || options.algorithm != SpmvAlgorithm::sorted_rows,
                           "spmv: sorted_rows needs a plan (make_spmv_plan, which keeps the order)");
  require<InvalidArgument>(with_plan || options.algorithm != SpmvAlgorithm::row_bins,
                           "spmv: row_bins needs a plan (make_spmv_plan, which keeps the bins)");
  require<InvalidArgument>(with_plan || options.algorithm != SpmvAlgorithm::nonzero_split,
                           "spmv: nonzero_split needs a plan (make_spmv_plan, which keeps the blocks)");
}

template <class X, class Y>
SpmmLayout layout_of(X const& x, Y const& y) {
  return is_row_major(x) && is_row_major(y) ? SpmmLayout::row_major : SpmmLayout::strided;
}

/// Y <- alpha A X + beta Y on a GPU by `kernel`: row_tile, row_team or column_tile. longest: entries of the
/// longest row, or the largest Offset. 1 or 2 launches.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmm_by_rows(Exec const& exec, SpmmKernel kernel, int lanes, Epilogue<Sum> const& epilogue,
                  Matrix const& A, X const& x, Y const& y, typename Matrix::offset_type longest) {
  StridedCsrRows<Matrix> const rows{A};
  if constexpr (may_be_row_major<X, Y>)
    if (kernel == SpmmKernel::row_tile)
      return spmm_row_tile<conjugated>(exec, "einkorn::spmv[csr,row_tile]", epilogue, rows, x, y, longest);
  if (kernel == SpmmKernel::row_team)
    spmv_row_team<conjugated>(exec, lanes, epilogue, A, Kokkos::subview(x, Kokkos::ALL, 0),
                              Kokkos::subview(y, Kokkos::ALL, 0));
  else
    spmm_column_tile<conjugated>(exec, "einkorn::spmv[csr,column_tile]", epilogue, rows, x, y, longest);
}

template <bool conjugated, class Matrix, class X, class Y, class Sum>
struct ScatterRow {
  using Target = typename Y::value_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  Sum alpha;
  std::size_t width;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset p = A.row_begin(row); p < A.row_end(row); ++p) {
      Sum const value = alpha * (conjugated ? Sum(conjugate(A.values(p))) : Sum(A.values(p)));
      for (std::size_t j = 0; j < width; ++j) {
        Target& target = entry(y, A.columns(p), j);
        Kokkos::atomic_add(&target, Target(value * Sum(entry(x, row, j))));
      }
    }
  }
};

/// y <- alpha op(A) x + beta y for a transposed op, one thread per row, with atomic additions to y: no
/// transpose in memory, but the order of the additions differs between runs. 2 launches.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmv_scatter(Exec const& exec, Epilogue<Sum> const& epilogue, Matrix const& A, X const& x, Y const& y) {
  using Ordinal = typename Matrix::ordinal_type;
  scale(exec, epilogue.beta, y);
  auto const width = Y::rank() == 1 ? std::size_t(1) : y.extent(1);
  Sum const alpha = epilogue.alpha;
  range_for<Ordinal>("einkorn::spmv[csr,scatter]", exec, A.num_rows,
                     ScatterRow<conjugated, Matrix, X, Y, Sum>{A, x, y, alpha, width});
}

/// y <- alpha op(A) x + beta y without a plan: spmv_scatter() for a transposed op, otherwise kernels that give
/// whole rows to threads: groups of lanes on a GPU, parts of equal work on the host.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmv_without_plan(Exec const& exec, bool transposed, int lanes, Epilogue<Sum> const& epilogue,
                       Matrix const& A, X const& x, Y const& y) {
  if (transposed)
    spmv_scatter<conjugated>(exec, epilogue, A, x, y);
  else if constexpr (!is_gpu<Exec>)
    spmv_row_split<conjugated>(exec, lanes, epilogue, A, x, y);
  else if constexpr (Y::rank() == 1)
    spmv_row_team<conjugated>(exec, lanes, epilogue, A, x, y);
  else if (y.extent(1) > 0)
    spmm_by_rows<conjugated>(exec, choose_spmm(y.extent(1), layout_of(x, y), arch_of<Exec>, {}), lanes,
                             epilogue, A, x, y, std::numeric_limits<typename Matrix::offset_type>::max());
}

}  // namespace detail

/// y <- alpha op(A) x + beta y for A in CSR, without a plan.
///
/// @param x [columns of op(A)] or [columns of op(A), k]
/// @param y [rows of op(A)] or [rows of op(A), k]; overlaps neither x nor A (checked)
/// @throws DimensionMismatch for shapes
/// @throws InvalidArgument for overlap, alignment, lanes, or an algorithm or op that needs a plan
///
/// x and y may have any layout and must be aligned to their scalar. beta == 0 overwrites y, NaN included; alpha
/// == 0 reads neither A nor x. A NaN or infinity in A or x reaches only the rows that use it. Sums, alpha and
/// beta are of sum_type<Scalar, x, y>. The algorithms are row_thread, row_team and, for a transpose,
/// atomic_scatter; the others, and a deterministic transpose, need a plan (csr/spmv_plan.hpp).
///
/// Multivectors (SpMM) on a GPU have kernels of their own, whichever row algorithm is given, with separate
/// launches for rows much longer than the mean. Row-major x and y (stride(1) == 1) of 4 columns or more: lanes
/// over up to 128 columns (32 where rows are not whole, aligned packs of 16 bytes). Others: lanes over the
/// rows, 8 columns per pass over A.
///
/// Cost per column: 2 nnz flops and nnz (scalar + ordinal) + (rows + 1) offset + (cols + rows) scalar bytes,
/// and rows scalar more if beta != 0. 1 launch, 2 for atomic_scatter and for multivectors on a GPU.
/// Asynchronous on exec: no fence, no allocation. Deterministic except for atomic_scatter. Source: CSR-scalar
/// and CSR-vector of Bell & Garland, NVIDIA NVR-2008-004; SpMM: see formats/spmm/detail/row_tile.hpp.
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
  ScopedRegion const region("einkorn::spmv[csr]");
  if (alpha == Sum(0) || A.nnz() == 0) return scale(exec, beta, y);
  Epilogue<Sum> const epilogue{alpha, beta};
  double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
  int const lanes = choose_lanes(options, arch_of<Exec>, mean);
  if constexpr (is_complex<Scalar>)
    if (is_conjugated(options.op))
      return detail::spmv_without_plan<true>(exec, transposed, lanes, epilogue, A, x, y);
  detail::spmv_without_plan<false>(exec, transposed, lanes, epilogue, A, x, y);
}

/// spmv() for a KokkosSparse::CrsMatrix, or a type with its interface, without a copy.
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
