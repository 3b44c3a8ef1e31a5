// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/column_blocks/detail/add_partial_sums.hpp>
#include <einkorn/formats/column_blocks/detail/sum_column_blocks.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// The plan of a ColumnBlocks (see formats/spmv_plan.hpp): memory for the partial sums.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<ColumnBlocks<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = ColumnBlocks<Scalar, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Sums = Kokkos::View<Sum*, Device>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& F)
      : matrix_(F), sums_(allocate<Sums>(exec, "einkorn::SpmvPlan[column_blocks]::sums", F.num_sums)) {}

  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  [[nodiscard]] Sums const& sums() const { return sums_; }
  /// Guards the plan against concurrent calls.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// Bytes of the plan in addition to the matrix.
  [[nodiscard]] std::size_t bytes() const { return sums_.size() * sizeof(Sum); }

 private:
  Matrix matrix_;
  Sums sums_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

/// A plan for repeated SpMVs with F. It shares the memory of F: spmv uses the values of a later
/// update_values(exec, F, A).
/// @tparam VectorScalar the scalar of x and y; void: the scalar of F
/// @throws OutOfMemory
/// Cost: one allocation.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, ColumnBlocks<Scalar, Ordinal, Offset, Device> const& F) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  require_kokkos("make_spmv_plan");
  return SpmvPlan<ColumnBlocks<Scalar, Ordinal, Offset, Device>, V>(exec, F);
}

namespace detail {

/// The product without a plan: the entries of a row are found by their positions.
template <class Format, class X, class Y, class EpilogueOp>
struct SpmvByPositions {
  using Sum = typename EpilogueOp::sum_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Sum sum = Sum(0);
    for (Offset k = F.row_offsets(row); k < F.row_offsets(row + 1); ++k)
      sum += Sum(F.values(F.positions(k))) * Sum(x(F.column(F.positions(k))));
    typename EpilogueOp::Accumulators unused{};
    epilogue(unused, y(row), row, sum);
  }
};

/// Launches a pass whose scratch depends on the scalars of the vectors.
template <class Exec, class Kernel, class Format>
void launch_pass(Exec const& exec, char const* label, int num_teams, Format const& F, Kernel const& kernel) {
  auto const bytes = Kernel::scratch_bytes(F);
  require<InvalidArgument>(bytes <= max_team_scratch(exec), [&] {
    return detail::joined("spmv: column blocks of ", F.shape.columns, " columns need ", bytes,
                          " bytes of team scratch for these scalars, ", max_team_scratch(exec),
                          " are available; convert with smaller ColumnBlocksOptions::columns");
  });
  launch_teams_with_scratch(exec, label, num_teams, bytes, kernel);
}

/// @param plan_sums Sums* or nullptr (no plan)
template <class Exec, class Format, class X, class Y, class Sum, class Sums>
void spmv_column_blocks(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x_view,
                        Y const& y_view, Sums const* plan_sums) {
  constexpr Arch arch = arch_of<Exec>;
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_entries<typename Format::offset_type>(F.values.extent(0));
  auto const expected = column_blocks_shape(arch, sizeof(Sum));
  require<InvalidArgument>(
      F.nnz() == 0 || (F.shape.lanes == expected.lanes && F.shape.entries == expected.entries), [&] {
        return detail::joined("spmv: ColumnBlocks with chunks of ", F.shape.lanes, " lanes and ",
                              F.shape.entries, " entries, expected ", expected.lanes, " and ", expected.entries,
                              " on ", Exec::name());
      });
  ScopedRegion const region("einkorn::spmv[column_blocks]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  for_each_column(x, y, [&](auto const& x_j, auto const& y_j) {
    using XView = std::decay_t<decltype(x_j)>;
    using YView = std::decay_t<decltype(y_j)>;
    if (plan_sums == nullptr)
      return range_for<typename Format::ordinal_type>(
          "einkorn::spmv[column_blocks,positions]", exec, F.num_rows,
          SpmvByPositions<Format, XView, YView, Epilogue<Sum>>{F, x_j, y_j, epilogue});
    using First = SumColumnBlocks<Exec, Format, XView, Sums>;
    using Second = AddPartialSums<Exec, Format, Sums, YView, Epilogue<Sum>>;
    launch_pass(exec, "einkorn::spmv[column_blocks,blocks]", F.num_items(), F, First{F, x_j, *plan_sums});
    launch_pass(exec, "einkorn::spmv[column_blocks,sums]", F.num_bins(), F,
                Second{F, *plan_sums, y_j, epilogue});
  });
}

}  // namespace detail

/// y <- alpha A x + beta y for A in column blocks, with a plan.
///
/// Shapes, aliasing, special values, scalars: as for CSR (csr/spmv.hpp). No transposed products.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment; chunks of another execution space; blocks that do not
/// fit in scratch with the scalar of x)
/// Cost: 2 launches; 2 nnz flops per column; F.spmv_bytes() + cols scalar + rows scalar, and rows scalar more if beta !=
/// 0: nnz (scalar + 2) + partial sums (2 scalars + 2) and tables. Each column of a multivector reads the matrix again.
/// Asynchronous on exec, without fence or allocation. Deterministic: repeatable bit for bit.
/// Source: column_blocks.hpp.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, ColumnBlocks<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<ColumnBlocks<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<ColumnBlocks<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<ColumnBlocks<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<ColumnBlocks<Scalar, Ordinal, Offset, Device>, V, X, Y>()) {
    using Sum = sum_type<Scalar, V>;
    auto const call = plan.one_call().begin("spmv", "plan");
    detail::spmv_column_blocks(exec, Epilogue<Sum>{alpha, beta}, plan.matrix(), x, y, &plan.sums());
  }
}

/// The same without a plan, hence without memory for partial sums: one thread per row searches the block of every entry.
/// Correct for any matrix, but slow.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, ColumnBlocks<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<ColumnBlocks<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          ColumnBlocks<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<ColumnBlocks<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  using Sum = decltype(alpha);
  using Sums = Kokkos::View<Sum*, Device>;
  detail::spmv_column_blocks(exec, Epilogue<Sum>{alpha, beta}, F, x, y, static_cast<Sums const*>(nullptr));
}

}  // namespace einkorn
