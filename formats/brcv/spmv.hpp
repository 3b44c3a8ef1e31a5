// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/brcv/brcv.hpp>
#include <einkorn/formats/brcv/detail/spmv_dispatch.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// The plan of a Brcv (see formats/spmv_plan.hpp). On a GPU: the stripe of every 32nd row, and the chunks of
/// rows of SpMM. On the host: empty, since the kernels search once per part.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Brcv<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Brcv<Scalar, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Chunks = detail::StripeChunks<Ordinal, Device>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& F) : matrix_(F) {
    if constexpr (is_gpu<Exec>) chunks_ = detail::make_stripe_chunks(exec, F, brcv_chunk_rows(sizeof(Sum)));
  }

  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  [[nodiscard]] Chunks const& chunks() const { return chunks_; }
  /// Bytes of the plan in addition to the matrix.
  [[nodiscard]] std::size_t bytes() const { return chunks_.bytes(); }

 private:
  Matrix matrix_;
  Chunks chunks_;
};

/// A plan for repeated SpMVs with F. It shares the memory of F: spmv uses the values of a later
/// update_values(exec, F, A).
/// @tparam VectorScalar the scalar of x and y; void: the scalar of F
/// @throws OutOfMemory, Error (Kokkos not initialised)
/// Cost on a GPU: one search in b per 32 rows, and two numbers per chunk of up to 8 rows (double) of a
/// stripe; fences exec.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Brcv<Scalar, Ordinal, Offset, Device> const& F) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  require_kokkos("make_spmv_plan");
  return SpmvPlan<Brcv<Scalar, Ordinal, Offset, Device>, V>(exec, F);
}

namespace detail {

template <class Exec, class Format, class X, class Y, class Sum, class Chunks>
void spmv_brcv(Exec const& exec, Sum const& alpha, Format const& F, X const& x_view, Sum const& beta,
               Y const& y_view, Chunks const& chunks) {
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_entries<typename Format::offset_type>(F.values.extent(0));
  ScopedRegion const region("einkorn::spmv[brcv]");
  if (alpha == Sum(0) || F.nnz() == 0 || shape_of(y).num_entries() == 0) return scale(exec, beta, y);
  spmv_stripes(exec, Epilogue<Sum>{alpha, beta}, F, x, y, chunks);
}

}  // namespace detail

/// y <- alpha A x + beta y for A in BRCV, with a plan; for multivectors SpMM.
///
/// @param x [num_cols] or [num_cols, k], any layout, aligned to its scalar, any k
/// @param y [num_rows] or [num_rows, k], likewise; must overlap neither x nor A (checked)
/// Special values and scalars: as for CSR (csr/spmv.hpp). NaN and infinity in x affect only rows with an
/// entry there.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), OverflowError, Error (Kokkos not
/// initialised)
///
/// Cost of one vector: 1 launch, 2 nnz flops; bytes = nnz scalar + |c| ordinal + (p + 1) ordinal + (2p + 1)
/// offset + cols scalar + rows scalar, and rows scalar more if beta != 0; with a plan one ordinal per 32 rows
/// more. One group of lanes sums a row: very long rows are slow, as for row_team of CSR. On a GPU every row of
/// a stripe reads the list of columns, from the cache after the first row.
///
/// Cost of k >= 4 columns of row-major X and Y (stride(1) == 1): 1 launch; the matrix as above once per 64
/// columns on a GPU, per 2 SIMD registers on the host; Y as above. A row of X is read once per stripe with this
/// column, and again for every further 8 rows (double; float: 16, complex<double>: 4) of the stripe: |c| k to
/// nnz k scalars of X, against nnz k for CSR. Other multivectors: on a GPU the row kernel with 4 columns per
/// pass and gathers of x; on the host one pass over the matrix per column.
///
/// Asynchronous on exec, without fence or allocation. Deterministic: repeatable bit for bit. Source: the patent
/// at brcv.hpp for the format and the reuse of the rows of X; the distribution of the work is that of this
/// library.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X, class Y>
requires SpmvOperands<Exec, Brcv<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Brcv<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Brcv<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Brcv<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Brcv<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    detail::spmv_brcv(exec, alpha, plan.matrix(), x, beta, y, plan.chunks());
}

/// The same without a plan. On a GPU all lanes of a warp search the stripe of its first row together (4
/// dependent reads for a million stripes). SpMM divides the rows into equal blocks, independent of the stripes:
/// a stripe in two blocks reads its rows of X twice. No difference on the host.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Brcv<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Brcv<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Brcv<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Brcv<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  detail::spmv_brcv(exec, alpha, F, x, beta, y, detail::StripeChunks<Ordinal, Device>());
}

}  // namespace einkorn
