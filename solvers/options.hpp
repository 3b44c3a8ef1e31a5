// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cmath>
#include <cstdint>
#include <functional>

namespace einkorn {

enum class RelativeTo { right_hand_side, initial_residual };

/// How the scalars of CG are had. fused: beta from |Ap|^2, one sweep for x, r and p; classical: beta from the
/// new residual, one pass more. BiCGStab has one way only.
enum class Recurrence { fused, classical };

/// Who launches the sweeps of an iteration. All give the same numbers up to rounding; `automatic` asks the
/// tuning table (solver_tuning.hpp).
enum class Execution {
  automatic,
  launches,   ///< the host, one after the other, some iterations ahead of the device
  graph,      ///< the host, graph iterations (CUDA, HIP)
  persistent  ///< nobody: one cooperative kernel stays until the solve ends
};

struct SolverOptions {
  double tolerance = 1e-8;          ///< stop at |r| <= tolerance * reference
  double absolute_tolerance = 0.0;  ///< ... or at |r| <= this, whichever is met first
  RelativeTo relative_to = RelativeTo::right_hand_side;
  std::int64_t max_iterations = 10000;
  int replace_every = 50;  ///< iterations after which b - A x is computed (docs/solvers.md); 0: never
  int max_stalls = 3;      ///< replacements in a row at which the true residual has not followed; 0: no limit
  double divergence_factor = 1e10;  ///< of the larger of |b| and the initial residual
  bool keep_history = false;        ///< rules Execution::persistent out from 2^20 iterations on
  /// Called on the host with (iterations, recursive residual) as it learns of progress, which is not after
  /// every single iteration; false stops the solve. May throw: x is then x0 again.
  std::function<bool(std::int64_t, double)> callback{};
  Recurrence recurrence = Recurrence::fused;
  Execution execution = Execution::automatic;
  int run_ahead = 4;  ///< iterations that the host may be ahead of the device
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
  require_enumerator(options.relative_to, RelativeTo::initial_residual, "solve: relative_to");
  require_enumerator(options.recurrence, Recurrence::classical, "solve: recurrence");
  require_enumerator(options.execution, Execution::persistent, "solve: execution");
}

/// Whether the residual of every iteration is to reach the host.
inline bool wants_history(SolverOptions const& options) {
  return options.keep_history || options.callback;
}

}  // namespace detail

}  // namespace einkorn
