// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/brcv/brcv.hpp>
#include <einkorn/formats/brcv/detail/spmv_dispatch.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// The plan of a Brcv (see formats/spmv_plan.hpp): where stripes begin among the rows, every 32 rows, and the
/// stripes cut into the chunks of rows that SpMM works on. Nothing on the host, whose kernels search once a
/// part.
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
  /// Memory that the plan holds beside the matrix.
  [[nodiscard]] std::size_t bytes() const { return chunks_.bytes(); }

 private:
  Matrix matrix_;
  Chunks chunks_;
};

/// A plan for repeated SpMVs with F, whose memory it shares: update_values(exec, F, A) is seen by the next
/// spmv. VectorScalar: the scalar of x and y (void: that of F). Cost on a GPU: a search of b for every 32 rows
/// and two numbers for every chunk of up to 8 rows (double) of a stripe; fences exec. Throws OutOfMemory, Error
/// (Kokkos not initialised).
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
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[brcv]");
  if (alpha == Sum(0) || F.nnz() == 0 || shape_of(y).num_entries() == 0) return scale(exec, beta, y);
  spmv_stripes(exec, Epilogue<Sum>{alpha, beta}, F, x, y, chunks);
}

}  // namespace detail

/// y <- alpha A x + beta y for A in BRCV, with a plan. For multivectors the product with a dense matrix, SpMM.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar, any k.
/// Aliasing: y must overlap neither x nor A (checked). Special values, scalars: as for CSR (csr/spmv.hpp); NaN
/// and infinity reach the rows that have an entry there and no others.
///
/// Cost of one vector: 2 nnz flops; bytes = nnz scalar + |c| ordinal + (p + 1) ordinal + (2p + 1) offset + cols
/// scalar + rows scalar, and rows scalar more when beta != 0; a plan adds a number for 32 rows. A row is summed
/// by one group of lanes: very long rows are slow, as for CSR's row_team. On a GPU the columns of a list are
/// asked for by every row of the stripe, from the cache but for the first.
///
/// Cost of k >= 4 columns of row-major X and Y (stride(1) == 1): the matrix and Y as above, once for every 64
/// columns on a GPU, 2 SIMD registers on the host; a row of X is read once for each stripe that names it, and
/// again for every further 8 rows (double; 16 float, 4 complex<double>) of the stripe: |c| k to nnz k scalars
/// of X in place of CSR's nnz k. Other multivectors: on a GPU a row by a group of lanes, 4 columns a pass over
/// the matrix, X gathered an entry at a time; on the host each column reads the matrix anew.
///
/// Repeatable bit for bit. Asynchronous on exec: no fence, no allocation; 1 launch. Throws DimensionMismatch,
/// InvalidArgument (overlap, alignment), OverflowError, Error (Kokkos not initialised). Source: the patent at
/// brcv.hpp, which gives the format and the reuse of the rows of X; the division of the work is ours.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X, class Y>
requires SpmvOperands<Exec, Brcv<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Brcv<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Brcv<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Brcv<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Brcv<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    detail::spmv_brcv(exec, alpha, plan.matrix(), x, beta, y, plan.chunks());
}

/// The same without a plan. On a GPU every warp looks for the stripe of its first row, all lanes together (4
/// reads one after the other for a million stripes); SpMM works on blocks of rows, wherever stripes begin, so
/// that stripes which lie across two blocks have their rows of X read twice. On the host no different.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Brcv<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Brcv<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Brcv<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Brcv<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  detail::spmv_brcv(exec, alpha, F, x, beta, y, detail::StripeChunks<Ordinal, Device>());
}

}  // namespace einkorn
