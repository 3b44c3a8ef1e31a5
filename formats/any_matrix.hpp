// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/all_formats.hpp>
#include <einkorn/formats/format_name.hpp>
#include <einkorn/formats/from_csr.hpp>
#include <einkorn/formats/indices.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>
#include <variant>

namespace einkorn {

struct AnyMatrixOptions {
  double fill_limit = default_fill_limit;  ///< stored entries per entry, at most, of the padded formats
  Checks checks = Checks::on;              ///< of the CSR's structure
  Indices indices = Indices::full;         ///< of the formats with compressed indices (CSR5, SELL)
};

namespace detail {

/// The plans of one matrix in each format of a list.
template <class Formats, class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
struct PlanVariant;
template <template <class, class, class, class> class... Format, class Scalar, class Ordinal, class Offset,
          class Device, class VectorScalar>
struct PlanVariant<FormatList<Format...>, Scalar, Ordinal, Offset, Device, VectorScalar> {
  using type = std::variant<std::monostate, SpmvPlan<Format<Scalar, Ordinal, Offset, Device>, VectorScalar>...>;
};

}  // namespace detail

/// A matrix in one format of a list, chosen at run time, with the plan of that format.
///
/// Copies share the matrix and the workspace of the plan, so only one execution-space instance at a time may
/// multiply with any of them. A default-constructed object is 0 x 0.
///
/// The kernels of every format of the list are instantiated where this header is used: include it in few source
/// files.
template <class FormatsInUse, class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class BasicAnyMatrix {
 public:
  using Formats = FormatsInUse;
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  /// std::monostate (the empty matrix), then the plans in the order of Formats.
  using Plans = typename detail::PlanVariant<Formats, Scalar, Ordinal, Offset, Device, VectorScalar>::type;

  BasicAnyMatrix() = default;
  explicit BasicAnyMatrix(Plans plan) : plan_(std::move(plan)) {}

  /// FormatName::csr for the empty matrix.
  [[nodiscard]] FormatName format() const {
    return plan_.index() == 0 ? FormatName::csr : Formats::formats()[plan_.index() - 1];
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
  /// The plan: std::visit, or std::get_if<SpmvPlan<Sell<...>, V>>, gives the format itself.
  [[nodiscard]] Plans const& plan() const { return plan_; }
  [[nodiscard]] Plans& plan() { return plan_; }

 private:
  template <class Result, class Body>
  Result visit(Result empty, Body const& body) const {
    return std::visit(
        [&](auto const& plan) -> Result {
          if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            return empty;
          else
            return body(plan);
        },
        plan_);
  }

  Plans plan_;
};

/// A matrix in any format of the library.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar = Scalar>
using AnyMatrix = BasicAnyMatrix<BuiltInFormats, Scalar, Ordinal, Offset, Device, VectorScalar>;

namespace detail {

/// The options of a format with the values that AnyMatrixOptions has for them.
template <class Options, class VectorScalar>
Options format_options(AnyMatrixOptions const& given) {
  Options options;
  if constexpr (requires { options.fill_limit; }) options.fill_limit = given.fill_limit;
  if constexpr (requires { options.indices; }) options.indices = given.indices;
  if constexpr (requires { options.checks; }) options.checks = given.checks;
  if constexpr (requires { options.vector_scalar_bytes; }) options.vector_scalar_bytes = sizeof(VectorScalar);
  return options;
}

/// Converts to the result of make(): emplace() with it constructs the result in place, without a move.
template <class Make>
struct ResultOf {
  Make make;
  operator std::invoke_result_t<Make const&>() const { return make(); }
};
template <class Make>
ResultOf(Make) -> ResultOf<Make>;

/// Replaces the plan by that of A in one format.
template <class V, template <class, class, class, class> class Format, class Plans, class Exec, class Value,
          class Ordinal, class Offset, class Device>
void emplace_plan(Plans& plans, Exec const& exec, Csr<Value const, Ordinal, Offset, Device> const& A,
                  AnyMatrixOptions const& options) {
  using Matrix = Format<Value, Ordinal, Offset, Device>;
  using Plan = SpmvPlan<Matrix, V>;
  plans.template emplace<Plan>(ResultOf{[&] {
    if constexpr (CsrMatrix<Matrix>)
      return make_spmv_plan<V>(exec, A, SpmvOptions{}, options.checks);
    else
      return make_spmv_plan<V>(
          exec, from_csr<Format>(exec, A, format_options<typename FromCsr<Format>::Options, V>(options)));
  }});
}

/// make_any_matrix() with all template arguments given.
template <class Formats, class V, class Exec, class Value, class Ordinal, class Offset, class Device>
BasicAnyMatrix<Formats, Value, Ordinal, Offset, Device, V> new_any_matrix(
    Exec const& exec, Csr<Value const, Ordinal, Offset, Device> const& A, FormatName format,
    AnyMatrixOptions const& options) {
  using Result = BasicAnyMatrix<Formats, Value, Ordinal, Offset, Device, V>;
  Result result;
  bool const found =
      Formats::visit(format, [&]<template <class, class, class, class> class Format>(FormatTag<Format>) {
        emplace_plan<V, Format>(result.plan(), exec, A, options);
      });
  require<InvalidArgument>(found, [&] {
    return detail::joined("make_any_matrix: format is ", static_cast<int>(format), ", expected one of ",
                          Formats::names());
  });
  return result;
}

/// y <- alpha A x + beta y for x and y as kernels take them (core/kernel_view.hpp).
template <class Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device, class V, class X,
          class Y>
void spmv_any(Exec const& exec, PlanSum<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>, V> alpha,
              BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A, X const& x,
              PlanSum<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>, V> beta, Y const& y) {
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

/// A in the format of that name, with its plan.
///
/// @tparam VectorScalar  scalar of x and y; void: that of A
/// @tparam Formats       formats to choose from (format_list.hpp)
/// @param A       num_rows x num_cols
/// @param format  FormatName::csr shares the memory of A; every other format has its own
/// @throws InvalidArgument (format), and what from_csr and make_spmv_plan of the format throw: FillLimit,
///         InvalidStructure, OverflowError, OutOfMemory
///
/// Cost: that of from_csr<Format> and of make_spmv_plan. Fences exec.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
BasicAnyMatrix<Formats, std::remove_const_t<Scalar>, Ordinal, Offset, Device,
               VectorScalarOr<VectorScalar, Scalar>>
make_any_matrix(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, FormatName format,
                AnyMatrixOptions const& options = {}) {
  using Value = std::remove_const_t<Scalar>;
  using V = VectorScalarOr<VectorScalar, Scalar>;
  return detail::new_any_matrix<Formats, V, Exec, Value, Ordinal, Offset, Device>(exec, A, format, options);
}

/// The same for a KokkosSparse::CrsMatrix.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_any_matrix(Exec const& exec, Matrix const& A, FormatName format,
                     AnyMatrixOptions const& options = {}) {
  return make_any_matrix<VectorScalar, Formats>(exec, as_csr(A), format, options);
}

/// y <- alpha A x + beta y.
///
/// Shapes: x [num_cols] or [num_cols, k], y [num_rows] or [num_rows, k]. Aliasing, special values, exceptions,
/// cost and determinism are those of the spmv of A's format with a plan.
template <ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device, class V,
          class X, class Y>
requires SpmvOperands<Exec, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>, X, Y>
void spmv(Exec const& exec, PlanSum<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>, V> alpha,
          BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A, X const& x,
          PlanSum<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>, V> beta, Y const& y) {
  detail::spmv_any(exec, alpha, A, detail::as_input(x), beta, detail::as_output(y));
}

/// Replaces the values of A by those of B.
///
/// @param A  FormatName::csr shares the memory of B afterwards; every other format copies the values
/// @param B  of the structure that A was made from
/// @throws StalePlan, before anything changes, if B has another structure. Checked with Checks::on; for CSR and
///         the empty matrix always.
///
/// Cost: that of update_values of A's format.
template <ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device, class V,
          class Given>
void update_values(Exec const& exec, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>& A,
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

/// A as CSR: the arrays of A itself if it is one, else the result of to_csr of its format.
template <ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device, class V>
Csr<Scalar const, Ordinal, Offset, Device> to_csr(
    Exec const& exec, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A) {
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
