// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/format_list.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/precond/multigrid/matrix_bytes.hpp>

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
  return make_spmv_plan<Scalar>(exec, A, options, Checks::off);
}

/// The matrix of a level in the scalar of the levels, in the format that select() takes of CSR, DIA and SELL,
/// all of which have fused products.
template <class Scalar, class Ordinal, class Offset, class Device>
class LevelOperator {
 public:
  using Formats = FormatList<Csr, Dia, Sell>;
  using CsrPlan = SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, Scalar>;
  using DiaPlan = SpmvPlan<Dia<Scalar, Ordinal, Offset, Device>, Scalar>;
  using SellPlan = SpmvPlan<Sell<Scalar, Ordinal, Offset, Device>, Scalar>;

  LevelOperator() = default;
  /// Converts A; shares its row offsets and columns if CSR is selected, never its values.
  /// @throws OverflowError, OutOfMemory
  template <class Exec, class Given>
  LevelOperator(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& A) {
    auto const converted = convert_values<Scalar>(exec, A);
    format_ = select<Scalar, Formats>(exec, converted).format;
    if (format_ == FormatName::dia)
      plan_ = make_spmv_plan<Scalar>(exec, from_csr<Dia>(exec, converted));
    else if (format_ == FormatName::sell)
      plan_ = make_spmv_plan<Scalar>(exec, from_csr<Sell>(exec, converted));
    else
      plan_ = make_row_plan(exec, converted);
  }

  /// Takes the values of A, which has the structure of the matrix of the constructor.
  /// @throws OverflowError, OutOfMemory
  template <class Exec, class Given>
  void update(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& A) {
    auto const converted = convert_values<Scalar>(exec, A);
    std::visit(
        [&](auto& plan) {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (std::is_same_v<Plan, CsrPlan>)
            plan.rebind(exec, converted);
          else if constexpr (!std::is_same_v<Plan, std::monostate>)
            update_values(exec, plan.matrix(), converted, Checks::off);
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
  /// Of the arrays that kernels read.
  [[nodiscard]] std::size_t bytes() const {
    return std::visit(
        [](auto const& plan) -> std::size_t {
          if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            return 0;
          else
            return matrix_bytes(plan.matrix()) + plan.bytes();
        },
        plan_);
  }

 private:
  FormatName format_ = FormatName::csr;
  std::variant<std::monostate, CsrPlan, DiaPlan, SellPlan> plan_;
};

}  // namespace einkorn::detail
