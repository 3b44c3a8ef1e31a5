// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Entry i of z = M^-1 r: r itself, a diagonal times r, or a vector that the preconditioner wrote.
template <class V>
struct PlainZ {
  typename V::const_type r;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t, typename V::const_value_type& ri) const {
    return ri;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t i) const { return r(i); }
};
template <class V, class D>
struct DiagonalZ {
  typename V::const_type r;
  D inverse;
  KOKKOS_FORCEINLINE_FUNCTION typename V::non_const_value_type operator()(
      std::size_t i, typename V::const_value_type& ri) const {
    return inverse(i) * ri;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t i) const { return (*this)(i, r(i)); }
};
template <class V>
struct StoredZ {
  typename V::const_type z;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t i, typename V::const_value_type&) const {
    return z(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t i) const { return z(i); }
};

/// r.z, p.p; p <- z at the start and where the direction restarts.
template <class Vectors, class Z>
struct PcgRecomputeRho {
  using Sums = PartialSums<2, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    bool active, restarts;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar r, p;
  };
  Vectors v;
  Z z;
  CgState const* state;
  bool restarts;  // p <- z whatever the state

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {state->is_running(), restarts || state->restarts};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {v.r(i), v.p(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s,
                                         double* sums) const {
    Scalar const zi = z(i, in.r), p = s.restarts ? zi : in.p;
    if (s.restarts) v.p(i) = p;
    double product[2] = {};
    add_product(product, in.r, zi);
    sums[0] += product[0];
    sums[1] += squared(p);
  }
};

/// r <- r - alpha q; |r|^2, and r.z unless z is stored. 3 n-vectors, and the diagonal.
template <class Vectors, class Z, bool has_rho>
struct PcgResidual {
  using Sums = PartialSums<2, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    typename Vectors::Real alpha;
    bool active;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar r, q;
  };
  Vectors v;
  Z z;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {typename Vectors::Real(state->alpha), state->in_iteration};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {v.r(i), v.q(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s,
                                         double* sums) const {
    Scalar const r = in.r - s.alpha * in.q;
    v.r(i) = r;
    sums[0] += squared(r);
    if constexpr (has_rho) {
      double product[2] = {};
      add_product(product, r, Scalar(z(i, r)));
      sums[1] += product[0];
    }
  }
};

/// r.z of a stored z. 2 n-vectors.
template <class Vectors, class Z>
struct PcgRho {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Loaded {
    Scalar r, z;
  };
  Vectors v;
  Z z;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->in_iteration; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.r(i), z(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& in, bool, double* sums) const {
    double product[2] = {};
    add_product(product, in.r, in.z);
    sums[0] += product[0];
  }
};

/// r.z and z.q of a stored z, for the flexible beta. 3 n-vectors.
template <class Vectors, class Z>
struct PcgFlexibleRho {
  using Sums = PartialSums<2, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Loaded {
    Scalar r, z, q;
  };
  Vectors v;
  Z z;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->in_iteration; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.r(i), z(i), v.q(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& in, bool, double* sums) const {
    double rz[2] = {}, zq[2] = {};
    add_product(rz, in.r, in.z);
    add_product(zq, in.z, in.q);
    sums[0] += rz[0];
    sums[1] += zq[0];
  }
};

/// x <- x + alpha p, p <- z + beta p; p.p. 5 n-vectors, and the diagonal.
template <class Vectors, class Z>
struct PcgDirection {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    typename Vectors::Real alpha, beta;
    bool active;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar x, p, z;
  };
  Vectors v;
  Z z;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    using Real = typename Vectors::Real;
    return {Real(state->alpha), Real(state->beta), state->in_iteration};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const {
    return {v.x(i), v.p(i), z(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s,
                                         double* sums) const {
    v.x(i) = in.x + s.alpha * in.p;
    Scalar const p = in.z + s.beta * in.p;
    v.p(i) = p;
    sums[0] += squared(p);
  }
};

// The steps between the passes, run by one thread.

/// rho after r and z were recomputed. sums: r.z, p.p.
template <class Publisher>
struct PcgAfterRecomputeRho {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.sums_pending = false;
    if (!s.is_running()) return;
    s.rho = sums[0];
    s.pp = sums[1];
    if (s.rho < 0) s.stop(Outcome::indefinite_preconditioner);
    if (!s.is_running()) publisher.publish(s);
  }
};

/// After r <- r - alpha q. sums: |r|^2, and with has_rho r.z. The end of the solve is published, with publishes
/// every iteration.
template <class Publisher>
struct PcgAfterResidual {
  CgState* state;
  bool has_rho, publishes;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.in_iteration) return;
    s.iterated(sums[0]);
    if (has_rho) set_rho(s, sums[1], sums[1]);
    if (publishes || !s.is_running()) publisher.publish(s);
  }
  /// beta = numerator / rho_old.
  static KOKKOS_FUNCTION void set_rho(CgState& s, double rho, double numerator) {
    s.beta = numerator / s.rho;
    s.rho = rho;
    if (s.is_running() && !(rho > 0))
      s.stop(Progress::is_finite(rho) ? Outcome::indefinite_preconditioner : Outcome::non_finite);
  }
};

/// After z <- M^-1 r. sums: r.z, and z.q if is_flexible: z.(r_new - r_old) = -alpha z.q.
template <class Publisher, bool is_flexible>
struct PcgAfterPreconditioner {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.in_iteration) return;
    bool const was_running = s.is_running();
    double numerator = sums[0];
    if constexpr (is_flexible) numerator = -s.alpha * sums[1];
    PcgAfterResidual<Publisher>::set_rho(s, sums[0], numerator);
    if (was_running) publisher.publish(s);
  }
};

/// PcgAfterResidual and PcgAfterPreconditioner in one step. sums: |r|^2, one that is not used, r.z (z.q).
template <class Publisher, bool is_flexible>
struct PcgAfterResidualAndPreconditioner {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    PcgAfterResidual<Publisher>{state, false, false, publisher}(sums);
    PcgAfterPreconditioner<Publisher, is_flexible>{state, publisher}(sums + 2);
  }
};

/// After p <- z + beta p. sums: p.p.
struct PcgAfterDirection {
  CgState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->in_iteration) state->pp = sums[0];
  }
};

/// PcgAfterDirection of the previous iteration, if its sum is pending, then CgAfterProduct. sums: p.p, then
/// those of the product.
template <class Publisher>
struct PcgAfterDirectionAndProduct {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->sums_pending) PcgAfterDirection{state}(sums);
    CgAfterProduct<Publisher>{state, publisher}(sums + 1);
    state->sums_pending = state->in_iteration;
  }
};

}  // namespace einkorn::detail
