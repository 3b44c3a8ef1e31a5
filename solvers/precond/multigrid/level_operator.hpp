// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/diagonals/detail/fill.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/format_list.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/precond/multigrid/distinct_bytes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace einkorn::detail {

/// The plan of a CSR whose products do not depend on the number of host threads: rows are not divided.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
auto make_row_plan(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  SpmvOptions options;
  if (!is_gpu<Exec>) options.algorithm = SpmvAlgorithm::row_team;
  return make_spmv_plan<std::remove_const_t<Scalar>>(exec, A, options, Checks::off);
}

/// A with values in Scalar: A itself if they are. Finite values may become infinite.
/// @throws OutOfMemory
template <class Scalar, class Exec, class Given, class Ordinal, class Offset, class Device>
Csr<Scalar const, Ordinal, Offset, Device> with_scalar(Exec const& exec,
                                                       Csr<Given, Ordinal, Offset, Device> const& A) {
  if constexpr (std::is_same_v<std::remove_const_t<Given>, Scalar>) {
    return A;
  } else {
    auto const values =
        allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Multigrid::values", A.values.extent(0));
    launch_convert_values(exec, A.values, values);
    return {A.num_rows, A.num_cols, A.row_offsets, A.columns, values};
  }
}

/// A matrix in CSR, DIA or SELL, all of which have fused products. A LinearOperator (solvers/operator.hpp).
template <class Scalar, class Ordinal, class Offset, class Device>
class LevelOperator {
 public:
  using Formats = FormatList<Csr, Dia, Sell>;
  using Matrix = Csr<Scalar const, Ordinal, Offset, Device>;
  using DiaMatrix = Dia<Scalar, Ordinal, Offset, Device>;
  using CsrPlan = SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, Scalar>;
  using DiaPlan = SpmvPlan<DiaMatrix, Scalar>;
  using SellPlan = SpmvPlan<Sell<Scalar, Ordinal, Offset, Device>, Scalar>;

  LevelOperator() = default;
  /// In the format that select() takes. Shares the arrays of A if that is CSR.
  /// @throws OutOfMemory
  template <class Exec>
  LevelOperator(Exec const& exec, Matrix const& A)
      : LevelOperator(exec, A, select<Scalar, Formats>(exec, A).format) {}
  template <class Exec>
  LevelOperator(Exec const& exec, Matrix const& A, FormatName format) : format_(format) {
    if (format_ == FormatName::dia)
      plan_ = make_spmv_plan<Scalar>(exec, from_csr<Dia>(exec, A, {.checks = Checks::off}));
    else if (format_ == FormatName::sell)
      plan_ = make_spmv_plan<Scalar>(exec, from_csr<Sell>(exec, A, {.checks = Checks::off}));
    else
      plan_ = make_row_plan(exec, A);
  }
  /// A in the format of `other`, whose matrix has the structure of A: without an analysis. Its rows may be divided.
  /// @throws OutOfMemory
  template <class Exec, class Given, class Other>
  LevelOperator(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& A,
                LevelOperator<Other, Ordinal, Offset, Device> const& other)
      : format_(other.format()) {
    if (auto const* const dia = other.dia())
      plan_ = make_spmv_plan<Scalar>(exec, dia_like(exec, A, *dia));
    else if (format_ == FormatName::sell)
      plan_ = make_spmv_plan<Scalar>(exec, from_csr<Sell>(exec, A, {.checks = Checks::off}));
    else
      plan_ = make_spmv_plan<Scalar>(exec, with_scalar<Scalar>(exec, A), {}, Checks::off);
  }
  /// A matrix of short rows: in SELL on a GPU, unless it would have more than 2 slots per entry, else in CSR.
  /// @throws OutOfMemory
  template <class Exec>
  static LevelOperator of_short_rows(Exec const& exec, Matrix const& A) {
    if constexpr (is_gpu<Exec>) {
      try {
        LevelOperator result;
        SellOptions options;
        options.sigma = 1;
        options.fill_limit = 2;
        options.checks = Checks::off;
        result.plan_ = make_spmv_plan<Scalar>(exec, from_csr<Sell>(exec, A, options));
        result.format_ = FormatName::sell;
        return result;
      } catch (FillLimit const&) {  // CSR
      }
    }
    return LevelOperator(exec, A, FormatName::csr);
  }

  /// Takes the values of A, which has the structure of the matrix of the constructor. Shares the arrays of A if the
  /// format is CSR and the scalars are the same.
  template <class Exec, class Given>
  void update(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& A) {
    std::visit(
        [&](auto& plan) {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (std::is_same_v<Plan, CsrPlan>)
            plan.rebind(exec, with_scalar<Scalar>(exec, A));
          else if constexpr (!std::is_same_v<Plan, std::monostate>)
            update_values(exec, plan.matrix(), A, Checks::off);
        },
        plan_);
  }

  /// y <- A x
  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    apply_fused(exec, Epilogue<Scalar>{Scalar(1), Scalar(0)}, x, y);
  }
  template <class Exec, class EpilogueOp, class X, class Y>
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    std::visit(
        [&](auto const& plan) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            spmv_fused(exec, plan, epilogue, x, y);
        },
        plan_);
  }

  [[nodiscard]] FormatName format() const { return format_; }
  [[nodiscard]] std::size_t num_rows() const { return extents().first; }
  [[nodiscard]] std::size_t num_cols() const { return extents().second; }
  /// The matrix if it is stored in DIA, else null.
  [[nodiscard]] DiaMatrix const* dia() const {
    auto const* const plan = std::get_if<DiaPlan>(&plan_);
    return plan == nullptr ? nullptr : &plan->matrix();
  }
  /// Adds the arrays that kernels read. A CSR shares arrays with the matrix of the constructor.
  void add_to(DistinctBytes& bytes) const {
    std::visit(
        [&](auto const& plan) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>) {
            bytes.add(plan.matrix());
            bytes.add(plan.bytes());
          }
        },
        plan_);
  }
  /// The structure in CSR, without values; empty in another format.
  [[nodiscard]] Matrix csr_structure() const {
    auto const* const plan = std::get_if<CsrPlan>(&plan_);
    if (plan == nullptr) return {};
    auto const& A = plan->matrix();
    return {A.num_rows, A.num_cols, A.row_offsets, A.columns, {}};
  }

 private:
  template <class Exec, class Given, class Other>
  static DiaMatrix dia_like(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& A,
                            Other const& other) {
    DiaMatrix F;
    F.num_rows = other.num_rows;
    F.num_cols = other.num_cols;
    F.stride = other.stride;
    F.num_entries = other.num_entries;
    F.sorted_unique_rows = other.sorted_unique_rows;
    F.offsets = other.offsets;
    F.source = other.source;
    F.values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Dia::values", other.values.extent(0));
    fill_diagonals(exec, "einkorn::from_csr[dia]", F, F.offsets, A, true);
    return F;
  }
  [[nodiscard]] std::pair<std::size_t, std::size_t> extents() const {
    return std::visit(
        [](auto const& plan) -> std::pair<std::size_t, std::size_t> {
          if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            return {0, 0};
          else
            return {static_cast<std::size_t>(plan.matrix().num_rows),
                    static_cast<std::size_t>(plan.matrix().num_cols)};
        },
        plan_);
  }

  FormatName format_ = FormatName::csr;
  std::variant<std::monostate, CsrPlan, DiaPlan, SellPlan> plan_;
};

}  // namespace einkorn::detail
