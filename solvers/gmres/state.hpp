// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/convergence.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Scalars of GMRES, in device memory; the arrays of a cycle are in GmresArrays.
struct GmresState : Progress {
  /// A cycle is stalled if |b - A x| is above this part of its value at the start of the cycle: a decimal digit
  /// would take more than 23000 such cycles.
  static constexpr double min_stalled2 = 0.9999 * 0.9999;

  int columns = 0;         // of the triangular factor R in this cycle
  int update_columns = 0;  // columns in the pending update of x; 0: none
  int stalled_cycles = 0;  // consecutive
  bool in_step = false;    // the next pass updates the new vector
  bool second_pass = false;
  double scale = 1;     // of the new vector after its update
  double beta = 0;      // |b - A x| at the start of the cycle
  double product2 = 0;  // |w|^2, w = A z, before orthogonalization

  /// At the end of a cycle. r2: |b - A x|^2.
  KOKKOS_FUNCTION void end_cycle(double r2) {
    stalled_cycles = r2 > min_stalled2 * beta * beta ? stalled_cycles + 1 : 0;
    replaced(r2);
    if (!is_running()) return;
    if (r2 <= target2)
      stop(Outcome::converged);
    else if (limits.max_stalls > 0 && stalled_cycles == limits.max_stalls)
      stop(Outcome::stagnated);
  }
};

/// Arrays of a cycle of at most m steps, in device memory.
template <class Z>
struct GmresArrays {
  Z* h;            // [m + 1], column of the Hessenberg matrix, without its subdiagonal entry
  Z* update;       // [m + 1], coefficients of the next update
  Z* g;            // [m + 1], rotated right-hand side; |g[k]| = |r| after k steps
  Z* sine;         // [m]
  Z* cosine;       // [m], real
  Z* r;            // [m * m], R in columns of m entries
  double* totals;  // [(m + 1) * (1 or 2)], sums of the last pass
  int m;

  static constexpr int parts = is_complex<Z> ? 2 : 1;

  static std::size_t size(std::size_t m) { return 3 * (m + 1) + 2 * m + m * m; }
  static GmresArrays over(Z* memory, double* totals, int m) {
    auto const n = static_cast<std::size_t>(m);
    Z* const sine = memory + 3 * (n + 1);
    return {memory, memory + n + 1, memory + 2 * (n + 1), sine, sine + n, sine + 2 * n, totals, m};
  }
  /// v_j^H w of the last pass; j = the number of columns: w.w.
  [[nodiscard]] KOKKOS_FUNCTION Z total(int j) const {
    if constexpr (is_complex<Z>)
      return Z(totals[2 * j], totals[2 * j + 1]);
    else
      return totals[j];
  }
  [[nodiscard]] KOKKOS_FUNCTION double square(int j) const { return totals[parts * j]; }
  [[nodiscard]] KOKKOS_FUNCTION Z& entry(int row, int column) const {
    return r[static_cast<std::size_t>(column) * static_cast<std::size_t>(m) + static_cast<std::size_t>(row)];
  }
};

template <class Z>
KOKKOS_FORCEINLINE_FUNCTION double square_of(Z const& z) {
  if constexpr (is_complex<Z>)
    return z.real() * z.real() + z.imag() * z.imag();
  else
    return z * z;
}

/// The steps after the two passes of an orthogonalization against k + 1 columns.
///
/// First: h = V^H w and |w|^2. By Pythagoras h_{k+1,k}^2 = |w|^2 - |h|^2. The inner products of the new vector
/// with the columns are at most e sum |h_j| / h_{k+1,k} + c u |w| / h_{k+1,k}, where e is the largest inner
/// product of two columns. With sum |h_j| <= h_{k+1,k} / 2 they are at most e / 2 + O(u), hence O(u) in every
/// step; otherwise a second pass follows.
/// Second: w' = w - V h, c = V^H w', h += c, h_{k+1,k}^2 = |w'|^2 - |c|^2. If the second pass halves |w'| or
/// leaves rounding of |w| only, w is in the span of the columns: h_{k+1,k} = 0.
template <class Z, class Publisher>
struct GmresStep {
  GmresState* state;
  GmresArrays<Z> arrays;
  int k;
  bool is_second;
  double rounding;  // unit roundoff of the vectors
  Publisher publisher;

  KOKKOS_FUNCTION void operator()() const {
    if (is_second)
      after_second_pass();
    else
      after_first_pass();
  }

 private:
  KOKKOS_FUNCTION void after_first_pass() const {
    auto& s = *state;
    s.in_step = s.second_pass = false;
    if (!s.is_running()) return;
    double sum = 0, sum2 = 0;
    for (int j = 0; j <= k; ++j) {
      Z const h = arrays.total(j);
      arrays.h[j] = arrays.update[j] = h;
      sum += Kokkos::sqrt(square_of(h));
      sum2 += square_of(h);
    }
    s.product2 = arrays.square(k + 1);
    if (!Progress::is_finite(s.product2) || !Progress::is_finite(sum2)) {
      s.stop(Outcome::non_finite);
      return publisher.publish(s);
    }
    if (s.product2 <= 0) return add_column(0);
    double const next2 = s.product2 - sum2;
    s.in_step = true;
    s.second_pass = !(next2 > 0 && sum * sum <= 0.25 * next2);
    s.scale = 1;
    if (!s.second_pass) set_next(next2);
  }
  KOKKOS_FUNCTION void after_second_pass() const {
    auto& s = *state;
    if (!s.second_pass) return;
    double sum2 = 0;
    for (int j = 0; j <= k; ++j) {
      Z const c = arrays.total(j);
      arrays.h[j] += c;
      arrays.update[j] = c;
      sum2 += square_of(c);
    }
    double const before2 = arrays.square(k + 1), next2 = before2 - sum2;
    if (!Progress::is_finite(next2)) {
      s.in_step = false;
      s.stop(Outcome::non_finite);
      return publisher.publish(s);
    }
    if (next2 > 0.25 * before2 && next2 > noise2()) return set_next(next2);
    s.in_step = false;
    add_column(0);
  }
  /// The square of the rounding of w - V h.
  [[nodiscard]] KOKKOS_FUNCTION double noise2() const {
    return 4 * rounding * rounding * (k + 2) * state->product2;
  }
  KOKKOS_FUNCTION void set_next(double next2) const {
    double const next = Kokkos::sqrt(next2);
    state->scale = 1 / next;
    add_column(next);
  }
  /// Rotates column k of the Hessenberg matrix into R. next: h_{k+1,k}.
  KOKKOS_FUNCTION void add_column(double next) const {
    auto& s = *state;
    Z head = arrays.h[0];
    for (int j = 0; j < k; ++j) {
      Z const below = arrays.h[j + 1], c = arrays.cosine[j], sn = arrays.sine[j];
      arrays.entry(j, k) = c * head + sn * below;
      head = c * below - conjugate(sn) * head;
    }
    double const head2 = square_of(head), modulus = Kokkos::sqrt(head2);
    // A is singular on the Krylov space: the column is not used.
    if (next <= 0 && head2 <= noise2()) {
      s.iterated(s.residual2);
      s.stop(Outcome::breakdown, Quantity::triangular_pivot);
      return publisher.publish(s);
    }
    double const pivot = Kokkos::hypot(modulus, next);
    Z const phase = modulus > 0 ? head / modulus : Z(1);
    double const c = modulus / pivot;
    Z const sn = phase * (next / pivot);
    arrays.cosine[k] = Z(c);
    arrays.sine[k] = sn;
    arrays.entry(k, k) = phase * pivot;
    Z const g = arrays.g[k];
    arrays.g[k] = c * g;
    arrays.g[k + 1] = -(conjugate(sn) * g);
    s.columns = k + 1;
    s.iterated(square_of(arrays.g[k + 1]));
    publisher.publish(s);
  }
};

/// Of the totals of one rank, which are added to those of the others before a GmresStep.
struct GmresNoStep {
  KOKKOS_FUNCTION void operator()() const {}
};

/// The coefficients of the update of x: update = -y, R y = g. Then x - V update minimizes |b - A x|.
template <class Z>
struct GmresSolve {
  GmresState* state;
  GmresArrays<Z> arrays;
  ResidualUse use;

  KOKKOS_FUNCTION void operator()(int) const {
    auto& s = *state;
    s.update_columns = s.wants(use) ? s.columns : 0;
    s.scale = 1;
    int const n = s.update_columns;
    for (int i = 0; i < n; ++i) arrays.update[i] = arrays.g[i];
    for (int j = n - 1; j >= 0; --j) {
      Z const y = arrays.update[j] / arrays.entry(j, j);
      for (int i = 0; i < j; ++i) arrays.update[i] -= y * arrays.entry(i, j);
      arrays.update[j] = -y;
    }
  }
};

/// sums: |r|^2, |b|^2.
template <class Z, class Publisher>
struct GmresStart {
  GmresState* state;
  GmresArrays<Z> arrays;
  Limits limits;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s = GmresState{};
    s.start(limits, sums[0], sums[1]);
    s.restarts = s.is_running();
    s.beta = Kokkos::sqrt(sums[0]);
    arrays.g[0] = Z(s.beta);
    publisher.publish(s);
  }
};

/// After b - A x: ends the solve or starts the next cycle. sums: |b - A x|^2.
template <class Z, class Publisher>
struct GmresAfterResidual {
  GmresState* state;
  GmresArrays<Z> arrays;
  ResidualUse use;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    double const r2 = sums[0];
    s.improves = s.restarts = false;
    if (use == ResidualUse::final) {
      s.true2 = r2;
      return;
    }
    if (!s.wants(use)) return;
    if (use == ResidualUse::check)
      s.checked(r2);
    else
      s.end_cycle(r2);
    s.columns = 0;
    s.restarts = s.is_running();
    if (s.restarts) {
      ++s.num_restarts;
      s.beta = Kokkos::sqrt(r2);
      arrays.g[0] = Z(s.beta);
    }
    if (use == ResidualUse::check || !s.is_running()) publisher.publish(s);
  }
};

}  // namespace einkorn::detail
