// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/precond/multigrid/dense_inverse.hpp>
#include <einkorn/solvers/precond/multigrid/level.hpp>
#include <einkorn/solvers/precond/multigrid/smoother.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace einkorn::detail {

/// Levels, the finest first, and the inverse of the last one if it has one.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Levels {
  using LevelType = Level<Scalar, Ordinal, Offset, Device>;
  using V = typename LevelType::V;
  std::vector<LevelType> list;
  DenseInverse<Scalar, Device> coarsest;
  bool has_inverse = false;
};

/// One V-cycle for A x = b of level `index` from x = 0, with b in level.b. Returns the vector that holds x, the
/// same in every call. Pre- and post-smoother are the same polynomial in M A and R = P^T, so that x is a
/// symmetric linear function of b for a symmetric A. A last level without inverse is smoothed twice.
/// Launches per level: 2 degree + 3, and 1 for the inverse. Asynchronous on exec; no allocation.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Scalar*, Device> v_cycle(Exec const& exec, Levels<Scalar, Ordinal, Offset, Device> const& levels,
                                      std::size_t index) {
  using V = Kokkos::View<Scalar*, Device>;
  auto const& level = levels.list[index];
  bool const is_last = index + 1 == levels.list.size();
  V x = level.x, other = level.other;
  if (is_last && levels.has_inverse) {
    levels.coarsest.apply(exec, level.b, x);
    return x;
  }
  SmootherVectors<V> const vectors{level.b, level.d, level.inverse};
  smooth_from_zero(exec, level.A, level.steps, vectors, x, other);
  if (!is_last) {
    compute_residual(exec, level.A, vectors, x, other);
    spmv(exec, *level.restrict_plan, Scalar(1), other, Scalar(0), levels.list[index + 1].b);
    V const correction = v_cycle(exec, levels, index + 1);
    spmv(exec, *level.prolong, Scalar(1), correction, Scalar(1), x);
  }
  smooth(exec, level.A, level.steps, vectors, x, other);
  return x;
}

}  // namespace einkorn::detail
