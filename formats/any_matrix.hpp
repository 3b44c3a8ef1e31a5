// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/all_formats.hpp>
#include <einkorn/formats/format_name.hpp>
#include <einkorn/formats/indices.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace einkorn {

struct AnyMatrixOptions {
  double fill_limit = default_fill_limit;  ///< of the padded formats
  Checks checks = Checks::on;              ///< of the CSR's structure
  Indices indices = Indices::full;         ///< of the formats that know another (CSR5, SELL)
};

/// A matrix in a format that is chosen at run time, with the plan of that format: what an application holds
/// that lets select() decide. Copied like a View: copies share the matrix and the plan's workspace, so that one
/// execution-space instance at a time multiplies with any of them. Default-constructed it is 0 x 0.
///
/// Every format's kernels are instantiated where this header is used: include it in few source files.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar = Scalar>
class AnyMatrix {
  template <template <class, class, class, class> class Format>
  using Plan = SpmvPlan<Format<Scalar, Ordinal, Offset, Device>, VectorScalar>;

 public:
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  /// In the order of FormatName, behind the empty matrix.
  using Plans = std::variant<std::monostate, Plan<Csr>, Plan<Csr5>, Plan<Coo>, Plan<Ell>, Plan<Sell>, Plan<Hyb>,
                             Plan<Dia>, Plan<Bdia>, Plan<Bsr>, Plan<Brcv>>;

  AnyMatrix() = default;
  explicit AnyMatrix(Plans plan) : plan_(std::move(plan)) {}

  [[nodiscard]] FormatName format() const {
    return plan_.index() == 0 ? FormatName::csr : static_cast<FormatName>(plan_.index() - 1);
  }
  [[nodiscard]] Ordinal num_rows() const {
    return visit(Ordinal(0), [](auto const& plan) { return plan.matrix().num_rows; });
  }
  [[nodiscard]] Ordinal num_cols() const {
    return visit(Ordinal(0), [](auto const& plan) { return plan.matrix().num_cols; });
  }
  [[nodiscard]] Offset nnz() const {
    return visit(Offset(0), [](auto const& plan) { return plan.matrix().nnz(); });
  }
  /// The plan behind it: std::visit, or std::get_if<SpmvPlan<Sell<...>, V>>, gives the format itself.
  [[nodiscard]] Plans const& plan() const { return plan_; }
  [[nodiscard]] Plans& plan() { return plan_; }

 private:
  template <class Result, class Body>
  Result visit(Result of_nothing, Body const& body) const {
    return std::visit(
        [&](auto const& plan) -> Result {
          if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            return of_nothing;
          else
            return body(plan);
        },
        plan_);
  }

  Plans plan_;
};

namespace detail {

/// Options of a format with the settings that all share.
template <class Options>
Options options_from(AnyMatrixOptions const& given) {
  Options options;
  if constexpr (requires { options.fill_limit; }) options.fill_limit = given.fill_limit;
  if constexpr (requires { options.indices; }) options.indices = given.indices;
  options.checks = given.checks;
  return options;
}

/// make_any_matrix() with all types given.
template <class V, class Exec, class Value, class Ordinal, class Offset, class Device>
AnyMatrix<Value, Ordinal, Offset, Device, V> new_any_matrix(Exec const& exec,
                                                            Csr<Value const, Ordinal, Offset, Device> const& A,
                                                            FormatName format,
                                                            AnyMatrixOptions const& options) {
  using Result = AnyMatrix<Value, Ordinal, Offset, Device, V>;
  require_enumerator(format, FormatName::brcv, "make_any_matrix: format");
  switch (format) {
    case FormatName::csr5:
      return Result(make_spmv_plan<V>(exec, from_csr<Csr5>(exec, A, options_from<Csr5Options>(options))));
    case FormatName::coo:
      return Result(make_spmv_plan<V>(exec, from_csr<Coo>(exec, A, options_from<CooOptions>(options))));
    case FormatName::ell:
      return Result(make_spmv_plan<V>(exec, from_csr<Ell>(exec, A, options_from<EllOptions>(options))));
    case FormatName::sell:
      return Result(make_spmv_plan<V>(exec, from_csr<Sell>(exec, A, options_from<SellOptions>(options))));
    case FormatName::hyb:
      return Result(make_spmv_plan<V>(exec, from_csr<Hyb>(exec, A, options_from<HybOptions>(options))));
    case FormatName::dia:
      return Result(make_spmv_plan<V>(exec, from_csr<Dia>(exec, A, options_from<DiaOptions>(options))));
    case FormatName::bdia:
      return Result(make_spmv_plan<V>(exec, from_csr<Bdia>(exec, A, options_from<BdiaOptions>(options))));
    case FormatName::bsr:
      return Result(make_spmv_plan<V>(exec, from_csr<Bsr>(exec, A, options_from<BsrOptions>(options))));
    case FormatName::brcv:
      return Result(make_spmv_plan<V>(exec, from_csr<Brcv>(exec, A, options_from<BrcvOptions>(options))));
    default:
      return Result(make_spmv_plan<V>(exec, A, SpmvOptions{}, options.checks));
  }
}

/// y <- alpha A x + beta y for x and y as kernels take them (core/kernel_view.hpp).
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X, class Y>
void spmv_any(Exec const& exec, PlanSum<AnyMatrix<Scalar, Ordinal, Offset, Device, V>, V> alpha,
              AnyMatrix<Scalar, Ordinal, Offset, Device, V> const& A, X const& x,
              PlanSum<AnyMatrix<Scalar, Ordinal, Offset, Device, V>, V> beta, Y const& y) {
  std::visit(
      [&](auto const& plan) {
        if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
          check_vectors(0, 0, x, y);
        else
          spmv(exec, plan, alpha, x, beta, y);
      },
      A.plan());
}

}  // namespace detail

/// A in the format of that name, with its plan. FormatName::csr shares A's memory, the others have their own.
/// Throws what from_csr and make_spmv_plan of the format throw (FillLimit above all).
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
AnyMatrix<std::remove_const_t<Scalar>, Ordinal, Offset, Device, VectorScalarOr<VectorScalar, Scalar>>
make_any_matrix(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, FormatName format,
                AnyMatrixOptions const& options = {}) {
  using Value = std::remove_const_t<Scalar>;
  using V = VectorScalarOr<VectorScalar, Scalar>;
  return detail::new_any_matrix<V, Exec, Value, Ordinal, Offset, Device>(exec, A, format, options);
}

template <class VectorScalar = void, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_any_matrix(Exec const& exec, Matrix const& A, FormatName format,
                     AnyMatrixOptions const& options = {}) {
  return make_any_matrix<VectorScalar>(exec, as_csr(A), format, options);
}

/// y <- alpha A x + beta y: the contract, cost and repeatability are those of the format's spmv with a plan.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
requires SpmvOperands<Exec, AnyMatrix<Scalar, Ordinal, Offset, Device, V>, X, Y>
void spmv(Exec const& exec, PlanSum<AnyMatrix<Scalar, Ordinal, Offset, Device, V>, V> alpha,
          AnyMatrix<Scalar, Ordinal, Offset, Device, V> const& A, X const& x,
          PlanSum<AnyMatrix<Scalar, Ordinal, Offset, Device, V>, V> beta, Y const& y) {
  detail::spmv_any(exec, alpha, A, detail::as_input(x), beta, detail::as_output(y));
}

/// A's format gets the values of B, which has the structure that A was made from: FormatName::csr shares B's
/// memory from then on, the others copy the values. Throws StalePlan, before anything changes, when it has not
/// (checks on; for CSR always).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class Given>
void update_values(Exec const& exec, AnyMatrix<Scalar, Ordinal, Offset, Device, V>& A,
                   Csr<Given, Ordinal, Offset, Device> const& B, Checks checks = Checks::on) {
  std::visit(
      [&](auto& plan) {
        using Plan = std::decay_t<decltype(plan)>;
        if constexpr (std::is_same_v<Plan, std::monostate>)
          require<StalePlan>(B.num_rows == 0 && B.num_cols == 0, "update_values: A is 0 x 0, B is not");
        else if constexpr (CsrMatrix<std::decay_t<decltype(plan.matrix())>>)
          update_values(exec, plan, B);
        else
          update_values(exec, plan.matrix(), B, checks);
      },
      A.plan());
}

/// A as CSR: A's own arrays where it is one, else what the format's to_csr gives.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class V>
Csr<Scalar const, Ordinal, Offset, Device> to_csr(Exec const& exec,
                                                  AnyMatrix<Scalar, Ordinal, Offset, Device, V> const& A) {
  using Result = Csr<Scalar const, Ordinal, Offset, Device>;
  return std::visit(
      [&](auto const& plan) -> Result {
        using Plan = std::decay_t<decltype(plan)>;
        if constexpr (std::is_same_v<Plan, std::monostate>)
          return Result{};
        else if constexpr (CsrMatrix<std::decay_t<decltype(plan.matrix())>>)
          return plan.matrix();
        else
          return to_csr(exec, plan.matrix());
      },
      A.plan());
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/any_matrix.hpp>
#endif
