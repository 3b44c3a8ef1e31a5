// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/verify.hpp"

#include <einkorn/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace einkorn::perf {

namespace {

template <class Index>
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;

template <class T>
KOKKOS_INLINE_FUNCTION double magnitude(T const& value) {
  if constexpr (is_complex<T>)
    return Kokkos::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
  else
    return Kokkos::fabs(static_cast<double>(value));
}

/// splitmix64 of i, mapped to [-1, 1].
KOKKOS_INLINE_FUNCTION double random_number(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  i ^= i >> 31;
  return static_cast<double>(static_cast<std::int64_t>(i >> 11)) / static_cast<double>(std::int64_t(1) << 52) -
         1.0;
}

template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar random_value(std::uint64_t i) {
  if constexpr (is_complex<Scalar>)
    return Scalar(random_number(2 * i), random_number(2 * i + 1));
  else
    return static_cast<Scalar>(random_number(i));
}

template <class Matrix, class X, class Y, class Scale>
void multiply(Exec const& exec, Matrix const& A, X const& x, Y const& y, Scale const& scale,
              Scale const& x_scale) {
  using Ordinal = typename Matrix::ordinal_type;
  using Sum = typename Y::value_type;
  Kokkos::parallel_for(
      "einkorn::perf::Reference", Range<Ordinal>(exec, 0, A.num_rows), KOKKOS_LAMBDA(Ordinal row) {
        Sum sum(0);
        double size = 0.0, x_size = 0.0;
        for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
          Sum const product = Sum(A.values(k)) * Sum(x(A.columns(k)));
          sum += product;
          size += magnitude(product);
          x_size += magnitude(Sum(x(A.columns(k))));
        }
        y(row) = sum;
        scale(row) = size;
        x_scale(row) = x_size;
      });
}

template <class Matrix, class Y, class Reference, class Scale>
Deviation compare(Exec const& exec, Matrix const& A, Y const& y, Reference const& reference, Scale const& scale,
                  Scale const& x_scale, double value_epsilon, double value_denorm) {
  using Ordinal = typename Matrix::ordinal_type;
  using Sum = typename Reference::value_type;
  using RealOfY = real_type<typename Y::value_type>;
  double const eps = std::numeric_limits<RealOfY>::epsilon(),
               denorm = std::numeric_limits<RealOfY>::denorm_min();
  double worst = 0.0;
  int wrong = 0;
  Kokkos::parallel_reduce(
      "einkorn::perf::compare", Range<Ordinal>(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(Ordinal row, double& largest, int& any_wrong) {
        double const error = magnitude(Sum(y(row)) - reference(row));
        double const length = static_cast<double>(A.row_end(row) - A.row_begin(row));
        double const rounding = ((length + 2.0) * eps + 0.5 * value_epsilon) * scale(row);
        double const underflow =
            length > 0.0 ? 2.0 * (length + 1.0) * denorm + 0.5 * value_denorm * x_scale(row) : 0.0;
        double const bound = rounding + underflow;
        if (!(error <= bound)) any_wrong = 1;
        if (scale(row) > 0.0 && error / scale(row) > largest) largest = error / scale(row);
      },
      Kokkos::Max<double>(worst), Kokkos::Max<int>(wrong));
  return {std::max(worst, 0.0), wrong <= 0};  // without rows, Kokkos returns the lowest value
}

template <class Scalar>
void fill_hashed(Exec const& exec, DenseVector<Scalar> const& x) {
  Kokkos::parallel_for(
      "einkorn::perf::fill_by_hash", Range<std::size_t>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { x(i) = random_value<Scalar>(i); });
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
Reference<Scalar, Ordinal, Offset>::Reference(Problem<Scalar, Ordinal, Offset> const& problem)
    : problem_(problem) {
  auto const rows = problem.y.extent(0);
  y_ = allocate<Kokkos::View<Sum*, Device>>(problem.exec, "einkorn::perf::Reference::y", rows);
  scale_ = allocate<Kokkos::View<double*, Device>>(problem.exec, "einkorn::perf::Reference::scale", rows);
  x_scale_ = allocate<Kokkos::View<double*, Device>>(problem.exec, "einkorn::perf::Reference::x_scale", rows);
  multiply(problem.exec, problem.A, problem.x, y_, scale_, x_scale_);
}

template <class Scalar, class Ordinal, class Offset>
Deviation Reference<Scalar, Ordinal, Offset>::check(Candidate const& candidate) const {
  Kokkos::deep_copy(problem_.exec, problem_.y, Scalar(std::numeric_limits<real_type<Scalar>>::quiet_NaN()));
  candidate.run();
  return compare(problem_.exec, problem_.A, problem_.y, y_, scale_, x_scale_, candidate.value_epsilon,
                 candidate.value_denorm);
}

template <class Scalar>
void fill_by_hash(Exec const& exec, DenseVector<Scalar> const& x) {
  fill_hashed(exec, x);
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template class Reference<double, int, int>;
template void fill_by_hash(Exec const&, DenseVector<double> const&);
#else
template class Reference<float, int, int>;
template class Reference<Kokkos::complex<double>, int, int>;
template class Reference<double, std::int64_t, std::size_t>;
template void fill_by_hash(Exec const&, DenseVector<float> const&);
template void fill_by_hash(Exec const&, DenseVector<Kokkos::complex<double>> const&);
#endif

}  // namespace einkorn::perf
