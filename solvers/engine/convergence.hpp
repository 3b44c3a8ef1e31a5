// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// A dot product of no more than this times the norms of its factors is as good as zero.
inline constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

/// What decides when a solve ends. Squares, as the sweeps have them.
struct Limits {
  double tolerance2 = 0, absolute2 = 0, divergence2 = 0;
  std::int64_t max_iterations = 0;
  bool relative_to_initial = false;
  int max_stalls = 0;
};

/// candidate: the recursive residual is below the target, and the host is to have the true one computed.
enum class Phase : std::uint8_t { running, check, finished };

/// Squares of norms outside of this range lose digits, or a solve that starts there would: the residual falls
/// by many powers of ten, and neither it nor its target may underflow. The host then scales b and x
/// (detail::solve_in_range()).
inline constexpr double min_square = 1e-200, max_square = 1e200;

/// The progress of a solve: changed on the device at the end of each vector pass, read by the passes, and by
/// the host when the solve has ended. A and b may have any scale: no threshold is absolute but the range above.
struct Progress {
  Limits limits;
  Phase phase = Phase::running;
  Outcome outcome = Outcome::iteration_limit;
  Quantity quantity = Quantity::none;
  std::int64_t iteration = 0;
  double target2 = 0, reference2 = 0, initial2 = 0;
  double residual2 = 0;       // recursive, or true where it was replaced just now
  double true2 = 0;           // as last computed from x
  double best2 = 0;           // true one of the x that is kept
  int checks = 0;             // times that a candidate was none
  int stalls = 0;             // replacements in a row at which the true residual had not followed
  bool improves = false;      // x is to be kept
  bool restarts = false;      // the direction is to begin anew
  bool out_of_range = false;  // |b|^2 or |b - A x0|^2 cannot be used; nothing was computed
  bool rows_refused = false;  // a persistent kernel could not keep the rows of A; nothing was computed

  [[nodiscard]] KOKKOS_FUNCTION bool is_running() const { return phase == Phase::running; }

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
    // Also b = 0, infinity and NaN: the host looks at the entries.
    out_of_range = !(b2 >= min_square && b2 <= max_square && r2 <= max_square);
    if (out_of_range)
      stop(Outcome::non_finite);
    else if (r2 <= target2)
      stop(Outcome::converged);
    else if (limits.max_iterations == 0)
      stop(Outcome::iteration_limit);
  }

  /// A persistent kernel that was made for shorter rows.
  KOKKOS_FUNCTION void refuse_rows() {
    if (!is_running()) return;
    rows_refused = true;
    stop(Outcome::stopped);
  }

  /// At the end of an iteration with |r|^2, which is exact, or a lower bound that must not end the solve.
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

  /// At a candidate, with |b - A x|^2: below the target, or the iteration goes on from there. When that has
  /// been tried before and has not halved the true residual, the arithmetic allows no more.
  KOKKOS_FUNCTION void checked(double r2) {
    bool const gains = checks == 0 || r2 <= 0.25 * true2;
    restarts = departs(r2);
    follow(r2);
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

  /// At a replacement, with |b - A x|^2. Where that departs from the recursive residual, either way, the
  /// direction belongs to a residual that is no more, and begins anew. Where the recursive one was below a
  /// tenth of it, and it has not come to a half of the best, max_stalls times in a row, the recursion
  /// converges and x does not.
  KOKKOS_FUNCTION void replaced(double r2) {
    restarts = departs(r2);
    stalls = residual2 < 0.01 * r2 && r2 > 0.25 * best2 ? stalls + 1 : 0;
    follow(r2);
    if (!is_finite(r2))
      stop(Outcome::non_finite);
    else if (limits.max_stalls > 0 && stalls == limits.max_stalls)
      stop(Outcome::stagnated);
  }

  /// What the host learns while it waits, in one word.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t word() const {
    return static_cast<std::uint64_t>(iteration) << 24 | (static_cast<std::uint64_t>(checks) & 0xffffu) << 8 |
           (1u + static_cast<std::uint64_t>(phase));
  }

  static KOKKOS_FUNCTION bool is_finite(double value) { return value - value == 0.0; }

 private:
  /// Whether r2 differs from the recursive one by more than a quarter of the latter, or is no number. Smaller
  /// departures do not hurt the direction, which is worth more.
  [[nodiscard]] KOKKOS_FUNCTION bool departs(double r2) const {
    return !(r2 >= 0.75 * residual2 && r2 <= 1.25 * residual2);
  }
  KOKKOS_FUNCTION void follow(double r2) {
    improves = r2 < best2;
    if (improves) best2 = r2;
    true2 = residual2 = r2;
  }
};

/// What Progress::word() says. 0 is no word yet.
struct ProgressWord {
  std::uint64_t bits = 0;
  [[nodiscard]] bool is_there() const { return bits != 0; }
  [[nodiscard]] Phase phase() const { return static_cast<Phase>((bits & 0xffu) - 1); }
  [[nodiscard]] std::int64_t iteration() const { return static_cast<std::int64_t>(bits >> 24); }
};

}  // namespace einkorn::detail
