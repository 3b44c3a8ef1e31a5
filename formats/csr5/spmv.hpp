// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr5/csr5.hpp>
#include <einkorn/formats/csr5/detail/spmv_tiles.hpp>
#include <einkorn/formats/csr5/detail/spmv_tiles_host.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

/// The plan of a Csr5 (see formats/spmv_plan.hpp): storage for the carry of each tile (on the host: of each
/// chunk of tiles), the sum of its entries in a row that begins in a previous tile.
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
  /// Guards the plan against concurrent calls.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// Bytes of the plan in addition to the matrix.
  [[nodiscard]] std::size_t bytes() const { return carry_.size() * sizeof(Sum); }

 private:
  Matrix matrix_;
  Kokkos::View<Sum*, Device> carry_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

/// A plan for repeated SpMVs with F. It shares the memory of F: spmv uses the values of a later
/// update_values(exec, F, A).
/// @tparam VectorScalar the scalar of x and y; void: the scalar of F
/// @throws OutOfMemory
/// Cost: one allocation.
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
    return detail::joined(
        "spmv: CSR5 tiles of ", F.shape.lanes, " lanes, expected ",
        is_gpu<Exec> ? std::to_string(lockstep_lanes(arch_of<Exec>)) : std::string("4, 8 or 16"), " on ",
        Exec::name());
  });
  ScopedRegion const region("einkorn::spmv[csr5]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  for_each_column(x, y, [&](auto const& x_j, auto const& y_j) {
    if (F.compressed.any())
      spmv_tiles<Indices::compressed>(exec, epilogue, F, x_j, y_j, carry);
    else
      spmv_tiles<Indices::full>(exec, epilogue, F, x_j, y_j, carry);
  });
}

}  // namespace detail

/// The product below with an arbitrary epilogue per row of y: Epilogue, or EpilogueWithDots, which also
/// computes dot products with the new y in the same pass.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V,
          class EpilogueOp, Vector X, WritableVector Y>
void spmv_fused(Exec const& exec, SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, V> const& plan,
                EpilogueOp const& epilogue, X const& x, Y const& y) {
  auto const call = plan.one_call().begin("spmv", "plan");
  detail::spmv_csr5(exec, epilogue, plan.matrix(), x, y, plan.carry());
}

/// y <- alpha A x + beta y for A in CSR5, with a plan.
///
/// Shapes, aliasing, special values, scalars: as for CSR (csr/spmv.hpp). No transposed products.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment; tiles whose lanes do not fit the execution
/// space)
/// Cost: 1 launch for the tiles, 1 for rows that cross tiles; 2 nnz flops per column; bytes = nnz (scalar +
/// ordinal) + num_tiles (ordinal + 4 words lanes) + empty_offsets + row_offsets of the tail + one element of
/// row_offsets and two sums per tile + cols scalar + rows scalar, and rows scalar more if beta != 0.
/// Tiles with codes: 2 bytes instead of the ordinal, and 4 ordinals per tile; one offset per tile more if
/// only some tiles have codes. Each column of a multivector reads the matrix again.
/// Asynchronous on exec, without fence or allocation. Deterministic: repeatable bit for bit.
/// Source: Liu and Vinter, ICS 2015, Algorithm 8; departures at detail/spmv_tiles.hpp.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, Csr5<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Csr5<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Csr5<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Csr5<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Csr5<Scalar, Ordinal, Offset, Device>, V, X, Y>())
    spmv_fused(exec, plan, Epilogue<sum_type<Scalar, V>>{alpha, beta}, x, y);
}

/// The same without a plan, hence without workspace: the entries of a row beyond its first tile (on the host:
/// beyond the chunk of its first thread) are read again by one warp (thread). Correct for any matrix, fast for
/// short rows.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Csr5<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Csr5<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Csr5<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Csr5<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  using Sum = decltype(alpha);
  detail::spmv_csr5(exec, Epilogue<Sum>{alpha, beta}, F, x, y, Kokkos::View<Sum*, Device>());
}

}  // namespace einkorn
