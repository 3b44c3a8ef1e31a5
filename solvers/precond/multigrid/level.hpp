// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/rows_by_warps.hpp>
#include <einkorn/solvers/precond/multigrid/distinct_bytes.hpp>
#include <einkorn/solvers/precond/multigrid/level_operator.hpp>
#include <einkorn/solvers/precond/multigrid/smoother.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>

namespace einkorn::detail {

/// Entry (i, j) of R <- M_c(i) r_ij / M(j): the restriction between scaled systems.
template <class Matrix, class Given, class V>
struct ScaleRestriction {
  using Ordinal = typename Matrix::ordinal_type;
  Matrix to;
  Given from;
  V coarse, fine;  // M_c: empty: 1
  int stride;      // lanes per row

  KOKKOS_FUNCTION void operator()(Ordinal row, int lane) const {
    using Scalar = typename V::non_const_value_type;
    double const factor = coarse.extent(0) == 0 ? 1.0 : static_cast<double>(coarse(row));
    for (auto k = to.row_begin(row) + static_cast<typename Matrix::offset_type>(lane); k < to.row_end(row);
         k += stride)
      to.values(k) =
          Scalar(factor * static_cast<double>(from.values(k)) / static_cast<double>(fine(to.columns(k))));
  }
};

/// A level as the cycle uses it: the scaled matrix, the smoother, the transfers to and from the next level, vectors.
/// All right-hand sides are multiplied by the diagonal M of the smoother, so that a step needs no vector but x and b.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Level {
  using V = Kokkos::View<Scalar*, Device>;
  using Operator = LevelOperator<Scalar, Ordinal, Offset, Device>;
  using Transfer = SpmvPlan<Csr<Scalar, Ordinal, Offset, Device>, Scalar>;

  Operator A;  // M A
  SmootherSteps steps;
  V M;                                    // [n], the diagonal of the smoother
  V b, x, other;                          // [n]
  Operator prolong;                       // P, none on the last level
  std::optional<Transfer> restrict_plan;  // R, scaled
  V restriction_values;                   // of restrict_plan

  [[nodiscard]] Smoother<Operator, V> smoother() const { return {A, steps, b}; }

  /// Allocates the vectors.
  template <class Exec>
  void allocate_vectors(Exec const& exec, std::size_t n) {
    for (V* const v : {&M, &b, &x, &other}) *v = allocate<V>(exec, "einkorn::Multigrid::vector", n);
  }
  /// Takes P and R = P^T, converted to Scalar. coarse_M: M of the next level; empty if it is inverted.
  template <class Exec, class Given>
  void set_transfers(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& P,
                     Csr<Given, Ordinal, Offset, Device> const& R, V const& coarse_M) {
    prolong = Operator::of_short_rows(exec, with_scalar<Scalar>(exec, P));
    restriction_values = allocate<V>(exec, "einkorn::Multigrid::restriction", R.values.extent(0));
    restrict_plan.emplace(make_row_plan(exec, scaled_restriction(R)));
    scale_restriction(exec, R, coarse_M);
  }
  /// The same for new values on the same patterns.
  template <class Exec, class Given>
  void update_transfers(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& P,
                        Csr<Given, Ordinal, Offset, Device> const& R, V const& coarse_M) {
    prolong.update(exec, P);
    scale_restriction(exec, R, coarse_M);
  }

  [[nodiscard]] std::size_t num_rows() const { return x.extent(0); }
  /// Adds the arrays that the kernels of a cycle read, some of which the Galerkin products or, on the finest level, the user's matrix share.
  void add_to(DistinctBytes& bytes) const {
    A.add_to(bytes);
    prolong.add_to(bytes);
    bytes.add(4 * x.extent(0) * sizeof(Scalar));
    if (!restrict_plan) return;
    bytes.add(restrict_plan->matrix());
    bytes.add(restrict_plan->bytes());
  }

 private:
  template <class Given>
  Csr<Scalar, Ordinal, Offset, Device> scaled_restriction(Csr<Given, Ordinal, Offset, Device> const& R) const {
    return {R.num_rows, R.num_cols, R.row_offsets, R.columns, restriction_values};
  }
  template <class Exec, class Given>
  void scale_restriction(Exec const& exec, Csr<Given, Ordinal, Offset, Device> const& R,
                         V const& coarse_M) const {
    auto const to = scaled_restriction(R);
    constexpr int lanes = is_gpu<Exec> ? static_cast<int>(Lanes<Exec>::size) : 1;
    for_each_row(exec, "einkorn::Multigrid[scale_restriction]", R.num_rows,
                 ScaleRestriction<std::remove_const_t<decltype(to)>, Csr<Given, Ordinal, Offset, Device>, V>{
                     to, R, coarse_M, M, lanes});
  }
};

}  // namespace einkorn::detail
