// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/multigrid/level_operator.hpp>
#include <einkorn/solvers/precond/multigrid/matrix_bytes.hpp>
#include <einkorn/solvers/precond/multigrid/smoother.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>

namespace einkorn::detail {

/// A level as the cycle uses it: the matrix, the smoother, the transfers to and from the next level, vectors.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Level {
  using V = Kokkos::View<Scalar*, Device>;
  using Operator = LevelOperator<Scalar, Ordinal, Offset, Device>;
  using Transfer = SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, Scalar>;

  Operator A;
  SmootherSteps steps;
  V inverse;                              // [n]: M of the smoother
  V b, x, other, d;                       // [n]
  std::optional<Transfer> prolong;        // P, none on the last level
  std::optional<Transfer> restrict_plan;  // R

  /// Allocates the vectors.
  template <class Exec>
  void allocate_vectors(Exec const& exec, std::size_t n) {
    for (V* const v : {&inverse, &b, &x, &other, &d}) *v = allocate<V>(exec, "einkorn::Multigrid::vector", n);
  }
  /// Takes P and R, converted to Scalar.
  template <class Exec, class Given>
  void set_transfers(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& P,
                     Csr<Given, Ordinal, Offset, Device> const& R) {
    prolong.emplace(make_row_plan(exec, convert_values<Scalar>(exec, P)));
    restrict_plan.emplace(make_row_plan(exec, convert_values<Scalar>(exec, R)));
  }

  [[nodiscard]] std::size_t num_rows() const { return x.extent(0); }
  [[nodiscard]] std::size_t bytes() const {
    auto const bytes_of = [](std::optional<Transfer> const& transfer) -> std::size_t {
      return transfer ? transfer->bytes() + matrix_bytes(transfer->matrix()) : 0;
    };
    return A.bytes() + 5 * x.extent(0) * sizeof(Scalar) + bytes_of(prolong) + bytes_of(restrict_plan);
  }
};

}  // namespace einkorn::detail
