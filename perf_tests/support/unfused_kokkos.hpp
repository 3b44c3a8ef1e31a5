// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <utility>

namespace einkorn::perf {

namespace unfused {

struct Dot {
  DenseVector<double const> x, y;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& sum) const { sum += x(i) * y(i); }
};
struct Axpy {
  double a;
  DenseVector<double const> x;
  DenseVector<double> y;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { y(i) += a * x(i); }
};
struct Xpay {
  DenseVector<double const> x;
  double a;
  DenseVector<double> y;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { y(i) = x(i) + a * y(i); }
};
struct Product {
  DenseVector<double const> d, r;
  DenseVector<double> z;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { z(i) = d(i) * r(i); }
};

}  // namespace unfused

/// A Library of textbook.hpp: any SpMV, and one Kokkos kernel per operation.
class UnfusedKokkos {
  using Vector = DenseVector<double>;
  using ConstVector = DenseVector<double const>;

 public:
  using Multiply = std::function<void(ConstVector const& x, Vector const& y)>;
  static constexpr std::size_t xpay_vectors = 3;

  UnfusedKokkos(Exec const& exec, ConstVector const& inverse_diagonal, Multiply multiply)
      : exec_(exec), inverse_diagonal_(inverse_diagonal), multiply_(std::move(multiply)) {}

  void multiply(ConstVector const& x, Vector const& y) const { multiply_(x, y); }
  void copy(ConstVector const& x, Vector const& y) const { Kokkos::deep_copy(exec_, y, x); }
  void zero(Vector const& y) const { Kokkos::deep_copy(exec_, y, 0.0); }

  [[nodiscard]] double dot(ConstVector const& x, ConstVector const& y) const {
    double sum = 0.0;
    Kokkos::parallel_reduce("einkorn::perf::dot", range(x), unfused::Dot{x, y}, sum);
    return sum;
  }
  void axpy(double a, ConstVector const& x, Vector const& y) const {
    Kokkos::parallel_for("einkorn::perf::axpy", range(x), unfused::Axpy{a, x, y});
  }
  void xpay(ConstVector const& x, double a, Vector const& y) const {
    Kokkos::parallel_for("einkorn::perf::xpay", range(x), unfused::Xpay{x, a, y});
  }
  void precondition(ConstVector const& r, Vector const& z) const {
    Kokkos::parallel_for("einkorn::perf::precondition", range(r), unfused::Product{inverse_diagonal_, r, z});
  }

 private:
  [[nodiscard]] Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> range(ConstVector const& x) const {
    return {exec_, 0, x.extent(0)};
  }

  Exec exec_;
  ConstVector inverse_diagonal_;
  Multiply multiply_;
};

}  // namespace einkorn::perf
