// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr5/csr5.hpp>
#include <einkorn/formats/csr5/detail/spmv_tiles.hpp>
#include <einkorn/formats/csr5/detail/spmv_tiles_host.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

/// The plan of a Csr5 (see formats/spmv_plan.hpp): a place for the sum that each tile (on the host: each
/// thread's chunk of tiles) hands to the row it goes on from.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Csr5<Scalar, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& F) : matrix_(F) {
    auto const parts =
        is_gpu<Exec> ? static_cast<std::size_t>(F.num_tiles) + 1 : static_cast<std::size_t>(host_parts(exec));
    carry_ = allocate<Kokkos::View<Sum*, Device>>(exec, "einkorn::SpmvPlan[csr5]::carry", parts);
  }

  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  [[nodiscard]] auto const& carry() const { return carry_; }
  /// Held by every call with the plan.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// Memory that the plan holds beside the matrix.
  [[nodiscard]] std::size_t bytes() const { return carry_.size() * sizeof(Sum); }

 private:
  Matrix matrix_;
  Kokkos::View<Sum*, Device> carry_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

/// A plan for repeated SpMVs with F, whose memory it shares: update_values(exec, F, A) is seen by the next
/// spmv. VectorScalar: the scalar of x and y (void: that of F). One allocation. Throws OutOfMemory.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Csr5<Scalar, Ordinal, Offset, Device> const& F) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  require_kokkos("make_spmv_plan");
  return SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, V>(exec, F);
}

namespace detail {

template <Indices indices, class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
void spmv_tiles(Exec const& exec, EpilogueOp const& epilogue, Format const& F, X const& x, Y const& y,
                Carry const& carry) {
  if constexpr (is_gpu<Exec>)
    spmv_tiles_gpu<indices>(exec, epilogue, F, x, y, carry);
  else
    spmv_tiles_host<indices>(exec, epilogue, F, x, y, carry);
}

template <class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
void spmv_csr5(Exec const& exec, EpilogueOp const& epilogue, Format const& F, X const& x_view, Y const& y_view,
               Carry const& carry) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_entries<typename Format::offset_type>(F.values.extent(0));
  bool const fits = is_gpu<Exec> ? F.shape.lanes == lockstep_lanes(arch_of<Exec>)
                                 : F.shape.lanes == 4 || F.shape.lanes == 8 || F.shape.lanes == 16;
  require<InvalidArgument>(fits || F.num_tiles == 0, [&] {
    return "spmv: CSR5 tiles of " + std::to_string(F.shape.lanes) + " lanes, expected " +
           (is_gpu<Exec> ? std::to_string(lockstep_lanes(arch_of<Exec>)) : std::string("4, 8 or 16")) + " on " +
           Exec::name();
  });
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[csr5]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  for_each_column(x, y, [&](auto const& x_j, auto const& y_j) {
    if (F.compressed.any())
      spmv_tiles<Indices::compressed>(exec, epilogue, F, x_j, y_j, carry);
    else
      spmv_tiles<Indices::full>(exec, epilogue, F, x_j, y_j, carry);
  });
}

}  // namespace detail

/// The product below with what a kernel does with each row of y left to `update` (Update, or EpilogueWithDots
/// for the dot products that the new y feeds, in the same sweep).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V,
          class EpilogueOp, Vector X, WritableVector Y>
void spmv_fused(Exec const& exec, SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, V> const& plan,
                EpilogueOp const& epilogue, X const& x, Y const& y) {
  auto const call = plan.one_call().begin("spmv", "plan");
  detail::spmv_csr5(exec, epilogue, plan.matrix(), x, y, plan.carry());
}

/// y <- alpha A x + beta y for A in CSR5, with a plan.
///
/// Shapes, aliasing, special values, scalars: as for CSR (csr/spmv.hpp). op is none.
/// Cost: 2 nnz flops a column; bytes = nnz (scalar + ordinal) (2 bytes in place of the ordinal in tiles with
/// codes, and 4 ordinals a tile; an offset more where only some have them) + num_tiles (ordinal + 4 words
/// lanes) + empty_offsets + the tail's row_offsets + one row_offsets entry and two sums a tile + cols scalar +
/// rows scalar, and rows scalar more when beta != 0. Each column of a multivector reads the matrix anew.
/// Repeatable bit for bit. Asynchronous on exec: no fence, no allocation; 1 launch for the tiles, 1 for rows
/// that cross tiles. Throws DimensionMismatch,
/// InvalidArgument (overlap, alignment; tiles whose lanes do not fit the execution space). Source: Liu &
/// Vinter, ICS 2015, Algorithm 8; departures at detail/spmv_tiles.hpp.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, Csr5<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Csr5<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Csr5<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Csr5<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    spmv_fused(exec, plan, Epilogue<sum_type<Scalar, V>>{alpha, beta}, x, y);
}

/// The same without a plan, hence without workspace: what a row has beyond its first tile (on the host: beyond
/// its first thread) is read once more by one warp (thread). Right for any matrix, fast where rows are short.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Csr5<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Csr5<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Csr5<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Csr5<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  using Sum = decltype(alpha);
  detail::spmv_csr5(exec, Epilogue<Sum>{alpha, beta}, F, x, y, Kokkos::View<Sum*, Device>());
}

}  // namespace einkorn
