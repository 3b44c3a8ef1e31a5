// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cmath>
#include <cstdint>
#include <functional>

namespace einkorn {

enum class RelativeTo { right_hand_side, initial_residual };

/// How CG computes its scalars. fused: beta from |Ap|^2, one pass for x, r and p; classical: beta from the new
/// residual, one pass more. Not used by PCG (classical) and BiCGStab.
enum class Recurrence { fused, classical };

/// How iterations are launched. All give the same numbers up to rounding. `automatic` uses the tuning table
/// (solvers/engine/tuning.hpp).
enum class Execution {
  automatic,
  launches,   ///< the host launches each kernel, some iterations ahead of the device
  graph,      ///< the host launches a captured graph of iterations (CUDA, HIP)
  persistent  ///< one cooperative kernel runs the whole solve
};

struct SolverOptions {
  double tolerance = 1e-8;          ///< stop at |r| <= tolerance * reference
  double absolute_tolerance = 0.0;  ///< or at |r| <= this, whichever is met first
  RelativeTo relative_to = RelativeTo::right_hand_side;
  std::int64_t max_iterations = 10000;
  int replace_every = 50;  ///< iterations between replacements of r by b - A x (docs/solvers.md); 0: never
  int max_stalls = 3;  ///< consecutive replacements without decrease of |b - A x|, then stagnated; 0: no limit
  double divergence_factor = 1e10;  ///< of the larger of |b| and the initial residual
  bool keep_history = false;        ///< not with Execution::persistent if max_iterations >= 2^20
  /// Called on the host with (iterations, recursive residual), not after every iteration; false stops the
  /// solve. If it throws, x = x0. Disables persistent execution, so small systems run slower.
  std::function<bool(std::int64_t, double)> callback{};
  Recurrence recurrence = Recurrence::fused;
  Execution execution = Execution::automatic;
  int run_ahead = 4;  ///< iterations that the host may launch ahead of the device
  int restart = 30;   ///< gmres, fgmres: steps per cycle, at most n are done. Not used by the others
};

namespace detail {

inline void check_options(SolverOptions const& options) {
  auto const is_limit = [](double value) { return value >= 0.0 && std::isfinite(value); };
  require<InvalidArgument>(is_limit(options.tolerance), "solve: tolerance must be finite and not negative");
  require<InvalidArgument>(is_limit(options.absolute_tolerance),
                           "solve: absolute_tolerance must be finite and not negative");
  require<InvalidArgument>(options.max_iterations >= 0, "solve: max_iterations must not be negative");
  require<InvalidArgument>(options.replace_every >= 0, "solve: replace_every must not be negative");
  require<InvalidArgument>(options.max_stalls >= 0, "solve: max_stalls must not be negative");
  require<InvalidArgument>(options.divergence_factor >= 1.0, "solve: divergence_factor must be 1 or more");
  require<InvalidArgument>(options.run_ahead >= 1, "solve: run_ahead must be 1 or more");
  require<InvalidArgument>(options.restart >= 1, "solve: restart must be 1 or more");
  require_enumerator(options.relative_to, RelativeTo::initial_residual, "solve: relative_to");
  require_enumerator(options.recurrence, Recurrence::classical, "solve: recurrence");
  require_enumerator(options.execution, Execution::persistent, "solve: execution");
}

/// Whether the residual of every iteration is published to the host.
inline bool wants_history(SolverOptions const& options) {
  return options.keep_history || options.callback;
}

}  // namespace detail

}  // namespace einkorn
