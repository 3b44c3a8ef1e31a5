// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstdint>
#include <vector>

namespace einkorn {

/// How a solve ended. No outcome is an exception; unless converged, x is the best x found.
enum class Outcome {
  converged,                  ///< the true residual, recomputed at the end, is below the target
  iteration_limit,            ///< max_iterations done
  stagnated,                  ///< the recursive residual decreases, the true one does not
  diverged,                   ///< the residual grew beyond SolverOptions::divergence_factor
  breakdown,                  ///< a divisor is zero relative to its factors: see Quantity
  indefinite_operator,        ///< CG: p.Ap < 0
  indefinite_preconditioner,  ///< PCG: r.z < 0; Jacobi: a diagonal entry is not positive
  zero_pivot,                 ///< Jacobi, block-Jacobi: a diagonal entry or block is singular or missing
  non_finite,                 ///< NaN or infinity in A, b, x0 or in a result, including squared norms
  stopped                     ///< by the caller's callback
};

/// The divisor of a breakdown.
enum class Quantity {
  none,
  curvature,         ///< p.Ap
  rho,               ///< BiCGStab: r0.r
  shadow_curvature,  ///< BiCGStab: r0.Ap
  omega,             ///< BiCGStab: As.s
  triangular_pivot   ///< GMRES: a diagonal entry of R, A V = V' Q R
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
    case Quantity::triangular_pivot:
      return "pivot of R";
    default:
      return "none";
  }
}

/// What the setup of a preconditioner found in the matrix: converged if nothing is wrong; zero_pivot or
/// non_finite if M^-1 could not be formed; indefinite_preconditioner if it could, but M is not Hermitian
/// positive definite. zero_pivot and non_finite take precedence; of equal ones the lowest row is reported.
struct SetupStatus {
  Outcome outcome = Outcome::converged;
  std::int64_t row = -1;  ///< -1: none

  /// M^-1 exists, though not necessarily for methods that need a definite M.
  [[nodiscard]] bool usable() const {
    return outcome == Outcome::converged || outcome == Outcome::indefinite_preconditioner;
  }
};

/// Result of a solve. All norms are 2-norms of the caller's system, unscaled and unpreconditioned.
struct SolveReport {
  Outcome outcome = Outcome::iteration_limit;
  Quantity quantity = Quantity::none;
  std::int64_t iterations = 0;
  std::int64_t restarts = 0;      ///< BiCGStab: with p = r and a new r0; GMRES: cycles after the first
  double residual = 0;            ///< |b - A x| of the returned x, recomputed
  double recursive_residual = 0;  ///< |r| of the recursion when it ended
  double initial_residual = 0;    ///< |b - A x0|
  double reference = 0;           ///< reference of the tolerance: |b| or the initial residual
  std::int64_t row = -1;          ///< zero_pivot, indefinite_preconditioner by Jacobi: the row
  std::vector<double> history;    ///< with keep_history: recursive residual after 0, 1, 2, ... iterations

  [[nodiscard]] bool converged() const { return outcome == Outcome::converged; }
};

}  // namespace einkorn
