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

  [[nodiscard]] bool is_inverted(std::size_t index) const { return has_inverse && index + 1 == list.size(); }
};

template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Scalar*, Device> v_cycle(Exec const& exec, Levels<Scalar, Ordinal, Offset, Device> const& levels,
                                      std::size_t index);

/// x and the vector before it, which alternate.
template <class V>
struct Iterates {
  V x, previous;
};

/// One V-cycle for A x = b of level `index`, which has a smoother, from x = 0, without its last step; level.b holds
/// M b. Pre- and post-smoother are the same polynomial in M A and R = P^T, so that the whole cycle is a symmetric
/// linear function of b for a symmetric A. A last level without inverse is smoothed twice. Launches per level, with
/// end_cycle(): 2 degree + 2 (degree 1: 5), and 1 for the inverse. Asynchronous on exec; no allocation.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
auto begin_cycle(Exec const& exec, Levels<Scalar, Ordinal, Offset, Device> const& levels, std::size_t index) {
  using V = Kokkos::View<Scalar*, Device>;
  auto const& level = levels.list[index];
  auto const smoother = level.smoother();
  V x = level.x, other = level.other;
  smoother.from_zero(exec, x, other);
  if (index + 1 < levels.list.size()) {
    smoother.residual(exec, x, other);
    spmv(exec, *level.restrict_plan, Scalar(1), other, Scalar(0), levels.list[index + 1].b);
    level.prolong.apply_fused(exec, Epilogue<Scalar>{Scalar(1), Scalar(1)}, v_cycle(exec, levels, index + 1),
                              x);
  }
  smoother.steps(exec, 0, smoother.count() - 1, x, other);
  return Iterates<V>{x, other};
}

/// The last step: y <- scale x. y may be the previous vector; scale null: 1. 1 launch; asynchronous on exec.
template <class Exec, class LevelType, class V, class Y>
void end_cycle(Exec const& exec, LevelType const& level, Iterates<V> const& iterates, Y const& y,
               double const* scale = nullptr) {
  auto const smoother = level.smoother();
  smoother.step_to(exec, smoother.count() - 1, iterates.x, iterates.previous, y, scale);
}

/// One V-cycle of level `index`. Returns the vector that holds x, the same in every call.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Scalar*, Device> v_cycle(Exec const& exec, Levels<Scalar, Ordinal, Offset, Device> const& levels,
                                      std::size_t index) {
  auto const& level = levels.list[index];
  if (levels.is_inverted(index)) {
    levels.coarsest.apply(exec, level.b, level.x);
    return level.x;
  }
  auto const iterates = begin_cycle(exec, levels, index);
  end_cycle(exec, level, iterates, iterates.previous);
  return iterates.previous;
}

}  // namespace einkorn::detail
