// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstdint>
#include <vector>

namespace einkorn {

/// How a solve ended. Anything but `converged` is an answer, not an exception: x is then the best that was met.
enum class Outcome {
  converged,                  ///< the true residual, computed anew at the end, is below the target
  iteration_limit,            ///< max_iterations done
  stagnated,                  ///< the recursive residual falls, the true one does not any more
  diverged,                   ///< the residual has grown by the factor that the options allow
  breakdown,                  ///< a number to divide by is zero, relative to what it is made of: see Quantity
  indefinite_operator,        ///< CG: p.Ap < 0
  indefinite_preconditioner,  ///< PCG: r.z < 0; Jacobi: a diagonal entry that is not positive
  zero_pivot,                 ///< Jacobi, block-Jacobi: a diagonal entry or block that is singular, or missing
  non_finite,                 ///< NaN or infinity in A, b, x0 or what came of them, squares of norms included
  stopped                     ///< by the caller's callback
};

/// What broke down.
enum class Quantity {
  none,
  curvature,         ///< p.Ap
  rho,               ///< BiCGStab: r0.r
  shadow_curvature,  ///< BiCGStab: r0.Ap
  omega              ///< BiCGStab: As.s
};

constexpr char const* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::iteration_limit:
      return "iteration limit";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::diverged:
      return "diverged";
    case Outcome::breakdown:
      return "breakdown";
    case Outcome::indefinite_operator:
      return "indefinite operator";
    case Outcome::indefinite_preconditioner:
      return "indefinite preconditioner";
    case Outcome::zero_pivot:
      return "zero pivot";
    case Outcome::non_finite:
      return "non-finite";
    default:
      return "stopped";
  }
}

constexpr char const* name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::curvature:
      return "p.Ap";
    case Quantity::rho:
      return "r0.r";
    case Quantity::shadow_curvature:
      return "r0.Ap";
    case Quantity::omega:
      return "As.s";
    default:
      return "none";
  }
}

/// What a solve has to say. All norms are 2-norms of the caller's system, unscaled and unpreconditioned.
struct SolveReport {
  Outcome outcome = Outcome::iteration_limit;
  Quantity quantity = Quantity::none;
  std::int64_t iterations = 0;
  std::int64_t restarts = 0;      ///< BiCGStab: times that it went on from r alone, with r as r0 and p
  double residual = 0;            ///< |b - A x| of the x that is returned, computed anew
  double recursive_residual = 0;  ///< as the iteration believed it to be when it ended
  double initial_residual = 0;    ///< |b - A x0|
  double reference = 0;           ///< what the tolerance is relative to: |b| or the initial residual
  std::int64_t row = -1;          ///< zero_pivot, indefinite_preconditioner by Jacobi: the row
  std::vector<double> history;    ///< when asked for: recursive residual after 0, 1, 2, ... iterations

  [[nodiscard]] bool converged() const { return outcome == Outcome::converged; }
};

}  // namespace einkorn
