// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Entry i of z = M^-1 r: r itself, a diagonal times r, or a vector that the preconditioner has written.
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

/// r.z, p.p; p <- z at the start and where the direction begins anew.
template <class Vectors, class Z>
struct PcgRenew {
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
  bool is_start;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {state->is_running(), is_start || state->restarts};
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

/// r <- r - alpha q; |r|^2, r.z where z is no stored vector. 3 passes, and the diagonal.
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
    return {typename Vectors::Real(state->alpha), state->pending};
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

/// r.z for a z that the preconditioner has written. 2 passes.
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

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->pending; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.r(i), z(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& in, bool, double* sums) const {
    double product[2] = {};
    add_product(product, in.r, in.z);
    sums[0] += product[0];
  }
};

/// x <- x + alpha p, p <- z + beta p; p.p. 5 passes, and the diagonal.
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
    return {Real(state->alpha), Real(state->beta), state->pending};
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

}  // namespace einkorn::detail
