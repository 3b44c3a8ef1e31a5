// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Of einkorn.perf.multigrid.
namespace einkorn::perf::multigrid {

using Matrix = Csr<double, int, int, Device>;
using Vector = DenseVector<double>;

/// Accepted residual per tolerance: the recursive residual of the peers differs from the true one.
inline constexpr double accepted_residual = 1.1;
inline constexpr int max_iterations = 10000;

using Coordinates = Kokkos::View<double**, Device>;

/// A matrix, and for elasticity, with 3 rows per node, the coordinates of the nodes.
struct MatrixProblem {
  Matrix A;
  Coordinates coordinates;
};

/// A x = b with two sets of values: those of the problem, and the same with the diagonal doubled. To be solved to a
/// relative residual of `tolerance`.
class System {
 public:
  System(Exec const& exec, MatrixProblem const& problem, double wanted)
      : A(problem.A),
        coordinates(problem.coordinates),
        tolerance(wanted),
        x("einkorn::perf::x", static_cast<std::size_t>(A.num_rows)),
        b("einkorn::perf::b", x.extent(0)),
        exec_(exec),
        offsets_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets)),
        columns_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns)),
        original_("einkorn::perf::original", A.values.extent(0)),
        doubled_("einkorn::perf::doubled", A.values.extent(0)) {
    require<InvalidArgument>(A.num_rows == A.num_cols && A.num_rows > 0, [&] {
      return "--problem: the matrix is " + std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols) +
             ", expected a square one with rows";
    });
    Kokkos::deep_copy(b, 1.0);
    Kokkos::deep_copy(original_, A.values);
    Kokkos::deep_copy(doubled_, original_);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (auto k = begin(i); k < begin(i + 1); ++k)
        if (static_cast<std::size_t>(columns_(k)) == i) doubled_(k) *= 2;
  }

  void set_values(bool is_doubled) const {
    Kokkos::deep_copy(A.values, is_doubled ? doubled_ : original_);
    exec_.fence();
  }
  void clear_x() const {
    Kokkos::deep_copy(x, 0.0);
    exec_.fence();
  }
  /// |b - A x| / |b| with the values of the problem, on the host in long double.
  [[nodiscard]] double residual() const {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    long double square = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      long double r = 1;
      for (auto k = begin(i); k < begin(i + 1); ++k)
        r -= static_cast<long double>(original_(k)) * on_host(static_cast<std::size_t>(columns_(k)));
      square += r * r;
    }
    return static_cast<double>(std::sqrt(square / static_cast<long double>(x.extent(0))));
  }

  [[nodiscard]] bool has_coordinates() const { return coordinates.extent(0) > 0; }

  Matrix A;
  Coordinates coordinates;
  double tolerance;
  Vector x, b;

 private:
  [[nodiscard]] std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(offsets_(i)); }

  Exec exec_;
  Kokkos::View<int const*, Kokkos::HostSpace> offsets_, columns_;
  Kokkos::View<double*, Kokkos::HostSpace> original_, doubled_;
};

/// The result of a solve as the method reports it.
struct Solved {
  std::string outcome;  // "converged" or a reason
  std::int64_t iterations = 0;
};

/// One row of the table. load, if any: copies the values of A to the matrix of the method.
struct Method {
  std::string key, name;
  std::function<void()> set_up, update, load;  // update empty: the method reads the values of A
  std::function<Solved()> solve;
  std::function<double()> complexity;  // operator complexity
  /// Solves; returns the residuals relative to |b| after 0, 1, ... iterations. Empty: does not record them.
  std::function<std::vector<double>()> history;

  std::vector<double> set_up_seconds, update_seconds, solve_seconds;
  std::int64_t iterations = 0;
  double residual = 0;
  std::string failure;  // reason why there are no times
  bool is_wrong = false;
};

}  // namespace einkorn::perf::multigrid
