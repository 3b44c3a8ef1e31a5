// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/precond/multigrid/report.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

namespace einkorn {

/// chebyshev: Chebyshev polynomial in D^-1 A on [rho / 10, rho], where rho is an estimate of its spectral radius.
/// l1_jacobi: x <- x + (b - A x)_i / sum_j |a_ij|, which needs no estimate.
enum class MultigridSmoother { chebyshev, l1_jacobi };

/// automatic: boxes of nodes where A is a box stencil without weak connections, else aggregates of the graph.
enum class MultigridAggregation { automatic, general };

struct MultigridOptions {
  double strength = 0.02;          ///< a_ij is strong if a_ij^2 > strength^2 |a_ii a_jj|; 0 .. 1
  int block_size = 1;              ///< consecutive rows per node: unknowns per mesh point; 1 .. 8
  int max_levels = 20;             ///< at least 1
  std::int64_t coarsest_rows = 0;  ///< a level of at most as many rows is inverted; 0: automatic; at most 4096
  double max_complexity = 1.6;     ///< bound of the operator complexity; 1 or more
  bool smoothed = true;            ///< smoothed aggregation; false: plain aggregation
  MultigridAggregation aggregation = MultigridAggregation::automatic;
  int box_width = 3;  ///< nodes per direction of a box; 2 .. 5
  MultigridSmoother smoother = MultigridSmoother::chebyshev;
  int degree = 2;  ///< of the Chebyshev polynomial, or sweeps of l1_jacobi; 1 .. 8
  /// Called on the host when a level is made, the finest first, for the progress of a long set-up; bytes is 0 then.
  /// Not called by update(). An exception from it ends the set-up.
  std::function<void(MultigridLevel const&)> on_level = {};
};

namespace detail {

inline void check_options(MultigridOptions const& options) {
  auto const require_range = [](char const* name, auto value, auto least, auto greatest) {
    require<InvalidArgument>(value >= least && value <= greatest, [&] {
      return std::string("make_multigrid: ") + name + " is " + std::to_string(value) + ", expected " +
             std::to_string(least) + " to " + std::to_string(greatest);
    });
  };
  require_range("strength", options.strength, 0.0, 1.0);
  require_range("block_size", options.block_size, 1, 8);
  require_range("max_levels", options.max_levels, 1, 100);
  require_range("coarsest_rows", options.coarsest_rows, std::int64_t(0), std::int64_t(4096));
  require_range("max_complexity", options.max_complexity, 1.0, 1e6);
  require_range("box_width", options.box_width, 2, 5);
  require_range("degree", options.degree, 1, 8);
  require_enumerator(options.aggregation, MultigridAggregation::general, "make_multigrid: aggregation");
  require_enumerator(options.smoother, MultigridSmoother::l1_jacobi, "make_multigrid: smoother");
}

}  // namespace detail

}  // namespace einkorn
