// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// A dot product of at most this times the norms of its factors counts as zero.
inline constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

/// Stopping criteria of a solve. Norms are squared, as the passes accumulate them.
struct Limits {
  double tolerance2 = 0, absolute2 = 0, divergence2 = 0;
  std::int64_t max_iterations = 0;
  bool relative_to_initial = false;
  int max_stalls = 0;
};

/// check: the recursive residual is below the target; the host launches the true-residual check.
enum class Phase : std::uint8_t { running, check, finished };

/// Why b - A x is computed: replacement of the recursive residual, true-residual check, final report.
enum class ResidualUse : std::uint8_t { replacement, check, final };

/// Range of |b|^2, and upper end of |b - A x0|^2, in which neither a residual nor the target underflows or
/// overflows in a solve. Outside of it the host scales b and x (detail::solve_in_range()).
inline constexpr double min_square = 1e-200, max_square = 1e200;

/// Progress of a solve. Changed on the device after each vector pass, read by the passes, and by the host at
/// the end. All thresholds are relative except the range above.
struct Progress {
  Limits limits;
  Phase phase = Phase::running;
  Outcome outcome = Outcome::iteration_limit;
  Quantity quantity = Quantity::none;
  std::int64_t iteration = 0;
  double target2 = 0, reference2 = 0, initial2 = 0;
  double residual2 = 0;           // recursive; true directly after a replacement
  double true2 = 0;               // |b - A x|^2 as last computed
  double best2 = 0;               // true2 of the best x
  int checks = 0;                 // true-residual checks done
  int stalls = 0;                 // consecutive replacements at which the true residual had not decreased
  std::int64_t num_restarts = 0;  // of BiCGStab and GMRES
  bool improves = false;          // x is the best so far
  bool restarts = false;          // the direction is stale and restarts from the residual
  bool out_of_range = false;      // |b|^2 or |b - A x0|^2 is outside the range; no iteration was done
  bool rows_too_long = false;     // a row of A does not fit the persistent kernel; no iteration was done

  [[nodiscard]] KOKKOS_FUNCTION bool is_running() const { return phase == Phase::running; }
  /// Whether a residual that was launched for this use is still wanted.
  [[nodiscard]] KOKKOS_FUNCTION bool wants(ResidualUse use) const {
    return use == ResidualUse::final || phase == (use == ResidualUse::check ? Phase::check : Phase::running);
  }

  KOKKOS_FUNCTION void stop(Outcome how, Quantity what = Quantity::none) {
    phase = Phase::finished;
    outcome = how;
    quantity = what;
  }

  /// r2 = |b - A x0|^2, b2 = |b|^2.
  KOKKOS_FUNCTION void start(Limits const& given, double r2, double b2) {
    *this = Progress{};
    limits = given;
    residual2 = true2 = initial2 = best2 = r2;
    reference2 = limits.relative_to_initial ? r2 : b2;
    double const relative = limits.tolerance2 * reference2;
    target2 = relative > limits.absolute2 ? relative : limits.absolute2;
    // Includes b = 0, infinity and NaN: the host then inspects the entries.
    out_of_range = !(b2 >= min_square && b2 <= max_square && r2 <= max_square);
    if (out_of_range)
      stop(Outcome::non_finite);
    else if (r2 <= target2)
      stop(Outcome::converged);
    else if (limits.max_iterations == 0)
      stop(Outcome::iteration_limit);
  }

  /// The persistent kernel was set up for shorter rows.
  KOKKOS_FUNCTION void stop_rows_too_long() {
    if (!is_running()) return;
    rows_too_long = true;
    stop(Outcome::stopped);
  }

  /// At the end of an iteration. r2: |r|^2, or with is_exact = false a lower bound, which cannot end the solve.
  KOKKOS_FUNCTION void iterated(double r2, bool is_exact = true) {
    ++iteration;
    residual2 = r2;
    if (!is_finite(r2))
      stop(Outcome::non_finite);
    else if (is_exact && r2 <= target2)
      phase = Phase::check;
    else if (r2 > limits.divergence2 * (reference2 > initial2 ? reference2 : initial2))
      stop(Outcome::diverged);
    else if (iteration == limits.max_iterations)
      stop(Outcome::iteration_limit);
  }

  /// At a true-residual check. r2: |b - A x|^2. Above the target the iteration continues from b - A x, unless
  /// |b - A x| was not halved since the previous check: then the solve has stagnated.
  KOKKOS_FUNCTION void checked(double r2) {
    bool const gains = checks == 0 || r2 <= 0.25 * true2;
    restarts = deviates(r2);
    set_true_residual(r2);
    if (!is_finite(r2))
      stop(Outcome::non_finite);
    else if (r2 <= target2)
      stop(Outcome::converged);
    else if (!gains)
      stop(Outcome::stagnated);
    else if (iteration == limits.max_iterations)
      stop(Outcome::iteration_limit);
    else
      phase = Phase::running;
    ++checks;
  }

  /// At a replacement. r2: |b - A x|^2. If it deviates from the recursive residual, the direction is stale and
  /// restarts. If max_stalls times in a row |r| is below a tenth of |b - A x| and |b - A x| is above half of
  /// the best, the recursion converges and x does not: stagnated.
  KOKKOS_FUNCTION void replaced(double r2) {
    restarts = deviates(r2);
    stalls = residual2 < 0.01 * r2 && r2 > 0.25 * best2 ? stalls + 1 : 0;
    set_true_residual(r2);
    if (!is_finite(r2))
      stop(Outcome::non_finite);
    else if (limits.max_stalls > 0 && stalls == limits.max_stalls)
      stop(Outcome::stagnated);
  }

  /// Iteration, low 16 bits of checks, and phase + 1, in one 64-bit word for the host.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t word() const {
    return static_cast<std::uint64_t>(iteration) << 24 | (static_cast<std::uint64_t>(checks) & 0xffffu) << 8 |
           (1u + static_cast<std::uint64_t>(phase));
  }

  static KOKKOS_FUNCTION bool is_finite(double value) { return value - value == 0.0; }

 private:
  /// Whether r2 differs from residual2 by more than a quarter, or is NaN. For smaller deviations the direction
  /// is kept: restarting costs more iterations.
  [[nodiscard]] KOKKOS_FUNCTION bool deviates(double r2) const {
    return !(r2 >= 0.75 * residual2 && r2 <= 1.25 * residual2);
  }
  KOKKOS_FUNCTION void set_true_residual(double r2) {
    improves = r2 < best2;
    if (improves) best2 = r2;
    true2 = residual2 = r2;
  }
};

/// Decodes Progress::word(). 0: nothing published yet.
struct ProgressWord {
  std::uint64_t bits = 0;
  [[nodiscard]] bool is_published() const { return bits != 0; }
  [[nodiscard]] Phase phase() const { return static_cast<Phase>((bits & 0xffu) - 1); }
  [[nodiscard]] std::int64_t iteration() const { return static_cast<std::int64_t>(bits >> 24); }
};

}  // namespace einkorn::detail
