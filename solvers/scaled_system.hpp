// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/scale.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace einkorn {

/// Sides of A that a diagonal S scales. both: S A S for CG, which needs a Hermitian operator; right: A S for
/// BiCGStab, whose residual is then that of A x = b.
enum class ScaledSides { both, right };

/// The operator of a scaled matrix: Jacobi preconditioning at no extra cost per iteration. cg() and bicgstab()
/// return the x of A x = b, and their stopping criterion is the residual of A x = b.
template <class Operator, class Scaling>
class ScaledOperator {
 public:
  ScaledOperator(Operator scaled, Scaling scaling, Kokkos::View<double*, typename Scaling::device_type> largest,
                 ScaledSides sides, SetupStatus status)
      : scaled_(std::move(scaled)),
        scaling_(std::move(scaling)),
        largest_(std::move(largest)),
        sides_(sides),
        status_(status) {}

  [[nodiscard]] std::size_t num_rows() const { return scaled_.num_rows(); }
  [[nodiscard]] std::size_t num_cols() const { return scaled_.num_cols(); }
  /// The diagonal of S, [n].
  [[nodiscard]] Scaling const& scaling() const { return scaling_; }
  /// Square of the largest entry of S, in device memory.
  [[nodiscard]] double const* largest_square() const { return largest_.data(); }
  [[nodiscard]] ScaledSides sides() const { return sides_; }
  [[nodiscard]] SetupStatus status() const { return status_; }
  [[nodiscard]] Operator const& scaled() const { return scaled_; }
  /// Of a distributed operator (solvers/distributed/scaled_system.hpp).
  /// S A S or A S.
  [[nodiscard]] Operator const& scaled_operator() const { return scaled_; }
  [[nodiscard]] decltype(auto) gathered_sums() const
  requires requires(Operator const& scaled) { scaled.gathered_sums(); }
  {
    return scaled_.gathered_sums();
  }
  [[nodiscard]] decltype(auto) communicator() const
  requires requires(Operator const& scaled) { scaled.communicator(); }
  {
    return scaled_.communicator();
  }
  [[nodiscard]] auto first_row() const
  requires requires(Operator const& scaled) { scaled.first_row(); }
  {
    return scaled_.first_row();
  }
  [[nodiscard]] std::size_t bytes() const { return scaling_.extent(0) * sizeof(typename Scaling::value_type); }

  template <class Exec, class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    scaled_.apply(exec, x, y);
  }
  template <class Exec, class EpilogueOp, class X, class Y>
  requires requires(Operator const& scaled, Exec const& exec, EpilogueOp const& epilogue, X const& x,
                    Y const& y) { scaled.apply_fused(exec, epilogue, x, y); }
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    scaled_.apply_fused(exec, epilogue, x, y);
  }
  /// As SpmvOperator::with_row_entries(), of the scaled matrix.
  template <class Body>
  requires requires(Operator const& scaled, Body const& body) { scaled.with_row_entries(body); }
  void with_row_entries(Body const& body) const {
    scaled_.with_row_entries(body);
  }

 private:
  Operator scaled_;
  Scaling scaling_;
  Kokkos::View<double*, typename Scaling::device_type> largest_;
  ScaledSides sides_;
  SetupStatus status_;
};

namespace detail {

/// scaling(i) <- |inverse(i)| or its square root; reduces to the largest scaling(i)^2.
template <class Inverse, class Scaling>
struct ComputeScaling {
  using Real = typename Scaling::non_const_value_type;
  Inverse inverse;
  Scaling scaling;
  bool takes_root;

  KOKKOS_FUNCTION void operator()(std::size_t i, double& largest) const {
    Real const modulus = Real(Kokkos::abs(inverse(i)));
    Real const s = takes_root ? Kokkos::sqrt(modulus) : modulus;
    scaling(i) = s;
    double const square = static_cast<double>(s) * static_cast<double>(s);
    if (square > largest) largest = square;
  }
};

/// The scaling of a Csr, the square of its largest entry in device memory, and the status of the diagonal.
template <class Scaling>
struct JacobiScaling {
  Scaling scaling;  // [n]
  Kokkos::View<double*, typename Scaling::device_type> largest;
  SetupStatus status;
};
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
auto make_jacobi_scaling(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, ScaledSides sides) {
  using Scaling = Kokkos::View<real_type<Scalar>*, Device>;
  require_enumerator(sides, ScaledSides::right, "make_jacobi_scaled: sides");
  auto const jacobi = make_jacobi(exec, A);
  auto const n = static_cast<std::size_t>(A.num_rows);
  JacobiScaling<Scaling> result{
      allocate<Scaling>(exec, "einkorn::ScaledOperator::scaling", n),
      allocate_zeros<Kokkos::View<double*, Device>>(exec, "einkorn::ScaledOperator::largest", 1),
      jacobi.status()};
  using Body = ComputeScaling<std::decay_t<decltype(jacobi.inverse())>, Scaling>;
  range_reduce<std::size_t>(
      "einkorn::make_jacobi_scaled", exec, n,
      Body{jacobi.inverse(), result.scaling, sides == ScaledSides::both},
      Kokkos::Max<double, typename Device::memory_space>(Kokkos::subview(result.largest, 0)));
  if (sides == ScaledSides::right && result.status.outcome == Outcome::indefinite_preconditioner)
    result.status = {};
  return result;
}

}  // namespace detail

/// Jacobi preconditioning by scaling: S A S with S = diag(A)^-1/2, or A S with S = diag(|A_ii|)^-1. Copies the
/// values of A, n x n (A is unchanged), and calls to_operator(scaled CSR), which converts it and makes its
/// operator:
///
///     make_jacobi_scaled(exec, A, ScaledSides::both,
///                        [&](auto const& B) { return make_operator<double>(exec, from_csr<Sell>(exec, B)); });
///
/// A diagonal entry that is zero, missing or not finite, or not positive for ScaledSides::both, is reported by
/// status() and by the report of a solve.
///
/// @throws DimensionMismatch (not square), InvalidArgument (sides), OutOfMemory, and what to_operator throws
///
/// Cost: reads A twice; nnz scalars and n reals of memory besides the format's own. Fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class ToOperator>
auto make_jacobi_scaled(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, ScaledSides sides,
                        ToOperator const& to_operator) {
  auto const setup = detail::make_jacobi_scaling(exec, A, sides);
  using Scaling = std::decay_t<decltype(setup.scaling)>;
  auto const B =
      scale_rows_and_columns(exec, sides == ScaledSides::both ? setup.scaling : Scaling(), A, setup.scaling);
  auto scaled = to_operator(B);
  exec.fence("einkorn::make_jacobi_scaled: the scaled matrix is complete");
  return ScaledOperator<std::decay_t<decltype(scaled)>, Scaling>(std::move(scaled), setup.scaling,
                                                                 setup.largest, sides, setup.status);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix, class ToOperator>
auto make_jacobi_scaled(Exec const& exec, Matrix const& A, ScaledSides sides, ToOperator const& to_operator) {
  return make_jacobi_scaled(exec, as_csr(A), sides, to_operator);
}

}  // namespace einkorn
