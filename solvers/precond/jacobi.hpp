// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/solvers/precond/detail/checks.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>
#include <einkorn/solvers/precond/detail/positive.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// inverse(i) <- 1 / inverse(i), or 1 if that is not finite.
template <class Inverse, class Faults>
struct InvertEntry {
  using Scalar = typename Inverse::non_const_value_type;
  Inverse inverse;
  Faults faults;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Scalar const d = inverse(i);
    auto const row = static_cast<std::int64_t>(i);
    Scalar inverted = Scalar(1);
    if (!has_finite_parts(d)) {
      faults.report(Outcome::non_finite, row);
    } else {
      if (d != Scalar(0)) inverted = Scalar(1) / d;
      if (d == Scalar(0) || !has_finite_parts(inverted)) {
        faults.report(Outcome::zero_pivot, row);
        inverted = Scalar(1);
      } else if (!is_positive_real(d)) {
        faults.report(Outcome::indefinite_preconditioner, row);
      }
    }
    inverse(i) = inverted;
  }
};

template <class Inverse, class R, class Z>
struct MultiplyEntry {
  using Sum = sum_type<typename Inverse::value_type, typename R::value_type>;
  Inverse inverse;
  R r;
  Z z;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    z(i) = typename Z::non_const_value_type(Sum(inverse(i)) * Sum(r(i)));
  }
};

}  // namespace detail

/// M = diag(A). Holds its inverse, n Scalars. Made by make_jacobi(). Source: Saad, Iterative Methods for Sparse
/// Linear Systems, 2nd ed., section 4.1.
///
/// status(): non_finite (a diagonal entry is NaN or infinite), zero_pivot (it is 0, not stored, or so small
/// that its inverse is infinite in Scalar), indefinite_preconditioner (it is negative, or complex and not real
/// and positive up to rounding). Rows with non_finite or zero_pivot get the inverse 1, so that apply() is
/// defined; rows with indefinite_preconditioner get their inverse.
template <class Scalar, class Device>
class Jacobi {
 public:
  using scalar_type = Scalar;
  using device_type = Device;

  Jacobi() = default;
  /// As make_jacobi().
  template <ExecutionSpace Exec, class From, class Ordinal, class Offset, class MatrixDevice>
  Jacobi(Exec const& exec, Csr<From, Ordinal, Offset, MatrixDevice> const& A) {
    require_kokkos("make_jacobi");
    detail::require_square("make_jacobi", A.num_rows, A.num_cols);
    if (A.num_rows == 0) return;
    inverse_ = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Jacobi::inverse",
                                                       static_cast<std::size_t>(A.num_rows));
    faults_ = detail::FirstFault<Device>(exec);
    update(exec, A);
  }

  /// z <- D^-1 r by multiplication with the inverse. r, z: [n]; z may be r and must not overlap it otherwise.
  /// @throws DimensionMismatch, InvalidArgument (overlap)
  /// Cost: n multiplications; 3 n Scalars (inverse, r, z); 1 launch, asynchronous on exec, no allocation.
  template <ExecutionSpace Exec, Vector R, WritableVector Z>
  requires AccessibleFrom<R, Exec> && AccessibleFrom<Z, Exec> && (R::rank() == 1 && Z::rank() == 1)
  void apply(Exec const& exec, R const& r, Z const& z) const {
    detail::check_apply("Jacobi", num_rows(), r, z, true);
    if (num_rows() == 0) return;
    using Inverse = Kokkos::View<Scalar const*, Device>;
    range_for<std::size_t>("einkorn::Jacobi::apply", exec, z.extent(0),
                           detail::MultiplyEntry<Inverse, R, Z>{inverse_, r, z});
  }

  /// Takes the diagonal of another matrix of this size.
  /// @throws DimensionMismatch
  /// Cost: extract_diagonal(), and reads and writes n Scalars. No allocation; fences exec.
  template <ExecutionSpace Exec, class From, class Ordinal, class Offset, class MatrixDevice>
  void update(Exec const& exec, Csr<From, Ordinal, Offset, MatrixDevice> const& A) {
    detail::require_size("Jacobi::update", num_rows(), A);
    if (num_rows() == 0) return;
    Kokkos::Profiling::ScopedRegion region("einkorn::Jacobi::update");
    using Functor = detail::InvertEntry<Kokkos::View<Scalar*, Device>, detail::FirstFault<Device>>;
    extract_diagonal(exec, A, inverse_);
    faults_.reset(exec);
    range_for<std::size_t>("einkorn::Jacobi::update", exec, inverse_.extent(0), Functor{inverse_, faults_});
    status_ = faults_.status(exec);
  }
  template <ExecutionSpace Exec, CrsMatrixLike Matrix>
  void update(Exec const& exec, Matrix const& A) {
    update(exec, as_csr(A));
  }

  /// 1 / d_i, [n], for solvers that apply it within a pass.
  [[nodiscard]] Kokkos::View<Scalar const*, Device> inverse() const { return inverse_; }
  [[nodiscard]] std::int64_t num_rows() const { return static_cast<std::int64_t>(inverse_.extent(0)); }
  /// Memory held: n Scalars, and 8 bytes for the status.
  [[nodiscard]] std::size_t bytes() const {
    return inverse_.extent(0) == 0 ? 0 : inverse_.extent(0) * sizeof(Scalar) + 8;
  }
  [[nodiscard]] SetupStatus status() const { return status_; }
  [[nodiscard]] std::string name() const { return "jacobi"; }

 private:
  Kokkos::View<Scalar*, Device> inverse_;  // [n]
  detail::FirstFault<Device> faults_;
  SetupStatus status_;
};

/// Inverts the diagonal of a square A; duplicates are summed. Entries that cannot be inverted are reported by
/// status(), not by an exception.
/// @pre A is valid (validate()).
/// @throws DimensionMismatch (not square), OutOfMemory
/// Cost: as update(), and two allocations of bytes() in total.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Jacobi<sum_type<Scalar>, Device> make_jacobi(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return Jacobi<sum_type<Scalar>, Device>(exec, A);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
auto make_jacobi(Exec const& exec, Matrix const& A) {
  return make_jacobi(exec, as_csr(A));
}

}  // namespace einkorn
