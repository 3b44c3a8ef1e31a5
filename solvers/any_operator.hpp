// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

namespace einkorn {

/// Defined in formats/any_matrix.hpp, which is not included here because it contains the kernels of every
/// format.
template <class Formats, class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class BasicAnyMatrix;

/// An AnyMatrix as an operator. Shares the matrix and its plan.
template <class Matrix>
class AnyOperator {
 public:
  explicit AnyOperator(Matrix const& A) : matrix_(A) {}

  [[nodiscard]] std::size_t num_rows() const { return static_cast<std::size_t>(matrix_.num_rows()); }
  [[nodiscard]] std::size_t num_cols() const { return static_cast<std::size_t>(matrix_.num_cols()); }
  [[nodiscard]] Matrix const& matrix() const { return matrix_; }

  /// Whether the format applies an epilogue within its product. Without, apply_fused() reads y once more.
  [[nodiscard]] bool has_fused_apply() const { return Matrix::Formats::has_fused_apply(matrix_.format()); }

  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    spmv(exec, 1, matrix_, x, 0, y);
  }
  /// In one pass where has_fused_apply().
  template <class Exec, class EpilogueOp, class X, class Y>
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    std::visit(
        [&](auto const& plan) {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (!std::is_same_v<Plan, std::monostate>)
            detail::product_and_dots(exec, SpmvOperator<Plan>(plan), epilogue, x, y);
        },
        matrix_.plan());
  }
  /// As SpmvOperator::with_row_entries().
  template <class Body>
  void with_row_entries(Body const& body) const {
    std::visit(
        [&](auto const& plan) {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (!std::is_same_v<Plan, std::monostate>) SpmvOperator<Plan>(plan).with_row_entries(body);
        },
        matrix_.plan());
  }

 private:
  Matrix matrix_;
};

/// The operator of an AnyMatrix.
template <class V, ExecutionSpace Exec, class Formats, class Scalar, class Ordinal, class Offset, class Device>
auto make_operator(Exec const&, BasicAnyMatrix<Formats, Scalar, Ordinal, Offset, Device, V> const& A) {
  return AnyOperator(A);
}

}  // namespace einkorn
