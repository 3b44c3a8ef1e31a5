// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace einkorn {

/// Defined in formats/any_matrix.hpp, which is not included here because it contains the kernels of every
/// format.
template <class Formats, class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class BasicAnyMatrix;

/// An AnyMatrix as an operator. Shares the matrix and its plan. Copies share one AnyMatrix, so that copying the variant of
/// all formats is not compiled.
template <class Matrix>
class AnyOperator {
 public:
  explicit AnyOperator(Matrix const& A) : matrix_(std::make_shared<Matrix const>(A)) {}
  explicit AnyOperator(std::shared_ptr<Matrix const> A) : matrix_(std::move(A)) {}

  [[nodiscard]] std::size_t num_rows() const { return static_cast<std::size_t>(matrix_->num_rows()); }
  [[nodiscard]] std::size_t num_cols() const { return static_cast<std::size_t>(matrix_->num_cols()); }
  [[nodiscard]] Matrix const& matrix() const { return *matrix_; }

  /// Whether the format applies an epilogue within its product. Without, apply_fused() reads y once more.
  [[nodiscard]] bool has_fused_apply() const { return Matrix::Formats::has_fused_apply(matrix_->format()); }

  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    spmv(exec, 1, *matrix_, x, 0, y);
  }
  /// In one pass where has_fused_apply().
  template <class Exec, class EpilogueOp, class X, class Y>
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    auto const apply = [&] { apply_in_solve(exec, epilogue, x, y); };
    if (has_fused_apply())
      apply();
    else
      detail::product_then_dots(exec, epilogue, y, apply);
  }
  /// y <- A x, with the dot products where has_fused_apply(): one product per format is compiled.
  template <class Exec, class EpilogueOp, class X, class Y>
  void apply_in_solve(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    std::visit(
        [&](auto const& plan) {
          if constexpr (requires { spmv_fused(exec, plan, epilogue, x, y); })
            spmv_fused(exec, plan, epilogue, x, y);
          else if constexpr (!std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            spmv(exec, plan, 1, x, 0, y);
        },
        matrix_->plan());
  }
  /// As SpmvOperator::with_row_entries().
  template <class Body>
  void with_row_entries(Body const& body) const {
    std::visit(
        [&](auto const& plan) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
            detail::with_row_entries_of(plan, body);
        },
        matrix_->plan());
  }

 private:
  std::shared_ptr<Matrix const> matrix_;
};

/// The operator of an AnyMatrix.
template <class V, ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device>
AnyOperator<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>> make_operator(
    Exec const&, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A) {
  return AnyOperator<BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>>(A);
}

/// The operator of an AnyMatrix that exists as long as the operator: refers to it.
template <class V, ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device>
auto make_operator_view(Exec const&, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A) {
  using Matrix = BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V>;
  return AnyOperator<Matrix>(std::shared_ptr<Matrix const>(std::shared_ptr<void>(), &A));
}

}  // namespace einkorn
