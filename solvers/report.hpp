// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstdint>
#include <vector>

namespace einkorn {

/// How a solve or a set-up ended. Only converged is success; none of them is an exception.
enum class Outcome {
  converged,
  iteration_limit,
  stagnated,
  diverged,
  breakdown,
  indefinite_operator,
  indefinite_preconditioner,
  zero_pivot,
  non_finite,
  stopped
};

/// Which scalar of the iteration broke down.
enum class Quantity {
  none,
  curvature,         ///< p . A p
  rho,               ///< r0 . r
  shadow_curvature,  ///< r0 . A p
  omega
};

struct SolveReport {
  Outcome outcome = Outcome::iteration_limit;
  Quantity quantity = Quantity::none;
  std::int64_t iterations = 0;
  double residual = 0;            ///< |b - A x|_2, computed from x
  double recursive_residual = 0;  ///< |r|_2 of the recurrence
  double reference = 0;           ///< what the tolerance is relative to
  std::int64_t row = -1;          ///< zero_pivot: which
  std::vector<double> history;

  [[nodiscard]] bool converged() const { return outcome == Outcome::converged; }
};

constexpr char const* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::iteration_limit:
      return "iteration_limit";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::diverged:
      return "diverged";
    case Outcome::breakdown:
      return "breakdown";
    case Outcome::indefinite_operator:
      return "indefinite_operator";
    case Outcome::indefinite_preconditioner:
      return "indefinite_preconditioner";
    case Outcome::zero_pivot:
      return "zero_pivot";
    case Outcome::non_finite:
      return "non_finite";
    case Outcome::stopped:
      return "stopped";
  }
  return "?";
}

constexpr char const* name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::none:
      return "none";
    case Quantity::curvature:
      return "curvature";
    case Quantity::rho:
      return "rho";
    case Quantity::shadow_curvature:
      return "shadow_curvature";
    case Quantity::omega:
      return "omega";
  }
  return "?";
}

}  // namespace einkorn
