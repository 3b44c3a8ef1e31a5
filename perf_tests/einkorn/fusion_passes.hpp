// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <einkorn/core/partial_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// Passes and steps of the stages of fusion of Jacobi-PCG (fusion_stages.hpp).
namespace einkorn::perf::fusion {

/// The scalars of an iteration, in device memory.
struct PcgScalars {
  double rho, rho_new, curvature, norm_squared, alpha, beta;

  KOKKOS_FUNCTION void set_curvature(double pq) {
    curvature = pq;
    alpha = rho / pq;
  }
  KOKKOS_FUNCTION void set_rho(double rz) {
    beta = rz / rho;
    rho = rz;
  }
};

struct PcgVectors {
  DenseVector<double> x, r, p, q;
  DenseVector<double const> inverse;  // of A's diagonal
};

/// alpha or beta from stored dot products; one thread.
struct Divide {
  PcgScalars* scalars;
  bool is_alpha;
  KOKKOS_FUNCTION void operator()(int) const {
    if (is_alpha)
      scalars->set_curvature(scalars->curvature);
    else
      scalars->set_rho(scalars->rho_new);
  }
};
/// y <- y + sign a x, and y <- x + a y.
struct AxpyOnDevice {
  double const* a;
  double sign;
  DenseVector<double const> x;
  DenseVector<double> y;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { y(i) += sign * *a * x(i); }
};
struct XpayOnDevice {
  DenseVector<double const> x;
  double const* a;
  DenseVector<double> y;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { y(i) = x(i) + *a * y(i); }
};

/// p.q of a stored q. 2 n-vectors.
struct CurvaturePass {
  using Sums = PartialSums<1, Device>;
  struct Loaded {
    double p, q;
  };
  PcgVectors v;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.p(i), v.q(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& in, bool, double* sums) const {
    sums[0] += in.p * in.q;
  }
};

/// r <- r - alpha q; r.r, and r.z with z = D^-1 r, which is not stored. 4 n-vectors.
struct ResidualPass {
  using Sums = PartialSums<2, Device>;
  struct Alpha {
    double value;
    static KOKKOS_FORCEINLINE_FUNCTION bool is_running() { return true; }
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return is_running(); }
  };
  struct Loaded {
    double r, q, inverse;
  };
  PcgVectors v;
  PcgScalars const* scalars;

  KOKKOS_FORCEINLINE_FUNCTION Alpha begin() const { return {scalars->alpha}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Alpha const&) const {
    return {v.r(i), v.q(i), v.inverse(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Alpha const& alpha,
                                         double* sums) const {
    double const r = in.r - alpha.value * in.q;
    v.r(i) = r;
    sums[0] += r * r;
    sums[1] += r * (in.inverse * r);
  }
};

/// x <- x + alpha p, p <- D^-1 r + beta p; with_residual: also r <- r - alpha q, r.r and r.D^-1 r. 6 or 8
/// n-vectors.
template <bool with_residual>
struct DirectionPass {
  using Sums = PartialSums<2, Device>;
  struct Factors {
    double alpha, beta;
    static KOKKOS_FORCEINLINE_FUNCTION bool is_running() { return true; }
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return is_running(); }
  };
  struct Loaded {
    double x, p, r, q, inverse;
  };
  PcgVectors v;
  PcgScalars const* scalars;

  KOKKOS_FORCEINLINE_FUNCTION Factors begin() const { return {scalars->alpha, scalars->beta}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Factors const&) const {
    return {v.x(i), v.p(i), v.r(i), with_residual ? v.q(i) : 0.0, v.inverse(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Factors const& by,
                                         [[maybe_unused]] double* sums) const {
    v.x(i) = in.x + by.alpha * in.p;
    double r = in.r;
    if constexpr (with_residual) {
      r -= by.alpha * in.q;
      v.r(i) = r;
      sums[0] += r * r;
      sums[1] += r * (in.inverse * r);
    }
    v.p(i) = in.inverse * r + by.beta * in.p;
  }
};

/// Epilogue of a product (core/epilogue.hpp): q <- A p with p.q and q.D^-1 q. Also reads p and D^-1.
struct CurvatureAndNorm : PartialSums<2, Device> {
  using sum_type = double;
  using Sum = double;
  using Sums = PartialSums<2, Device>;
  using typename Sums::Accumulators;

  Sum alpha = 1.0, beta = 0.0;
  DenseVector<double const> p, inverse;

  CurvatureAndNorm(Sums const& sums, PcgVectors const& v) : Sums(sums), p(v.p), inverse(v.inverse) {}

  struct Prefetched {
    double p, inverse;
  };
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Row row) const {
    auto const at = static_cast<std::size_t>(row);
    return {p(at), inverse(at)};
  }
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, double& q, Row, double sum,
                                              Prefetched const& from) const {
    q = sum;
    accumulators.sums[0] += from.p * sum;
    accumulators.sums[1] += from.inverse * sum * sum;
  }
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, double& q, Row row,
                                              double sum) const {
    (*this)(accumulators, q, row, sum, prefetch(row));
  }
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators& accumulators, double& q, Row row, double rest) const {
    double const before = q, after = before + rest;
    auto const from = prefetch(row);
    q = after;
    accumulators.sums[0] += from.p * rest;
    accumulators.sums[1] += from.inverse * (after * after - before * before);
  }
};

/// alpha from p.q.
struct AfterCurvature {
  PcgScalars* scalars;
  KOKKOS_FUNCTION void operator()(double const* sums) const { scalars->set_curvature(sums[0]); }
};
/// beta from r.r, r.z.
struct AfterResidual {
  PcgScalars* scalars;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    scalars->norm_squared = sums[0];
    scalars->set_rho(sums[1]);
  }
};
/// alpha, and beta in advance, from p.q and q.D^-1 q: the next r.z is alpha^2 q.D^-1 q - r.z, since z.q = p.q.
struct AfterProduct {
  PcgScalars* scalars;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    scalars->set_curvature(sums[0]);
    double const expected = scalars->alpha * scalars->alpha * sums[1] - scalars->rho;
    scalars->beta = expected > 0.0 ? expected / scalars->rho : 0.0;
  }
};
/// r.r, and the computed rho.
struct AfterUpdate {
  PcgScalars* scalars;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    scalars->norm_squared = sums[0];
    scalars->rho = sums[1];
  }
};

}  // namespace einkorn::perf::fusion
