// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/solvers/gmres/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Vectors of GMRES besides the bases: r, the first column; last, the last one, which no update of x uses.
template <class V>
struct GmresVectors {
  using Scalar = typename V::non_const_value_type;
  using Device = typename V::device_type;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  static constexpr int num_residual_sums = 1;

  V r, last, best, x;
  typename V::const_type b;

  // For TrueResidualPass (engine/residual_replacement.hpp).
  KOKKOS_FORCEINLINE_FUNCTION V const& ax() const { return last; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scaled_b(std::size_t i) const { return b(i); }
  KOKKOS_FORCEINLINE_FUNCTION void set_first_residual(std::size_t i, Scalar const& ri) const { r(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION void set_true_residual(std::size_t i, Scalar const& ri) const { r(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION static void add_residual_squares(std::size_t, Scalar const& ri, double* sums) {
    sums[0] += squared(ri);
  }
};

/// Start of a cycle: best <- x if x is the best so far; the first column r / |r|. 4 n-vectors.
template <class Vectors>
struct GmresBeginCycle {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Z = typename Vectors::Z;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    bool improves, restarts;
    double beta;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return improves || restarts; }
  };
  struct Loaded {};
  Vectors v;
  GmresState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {state->improves, state->restarts, state->beta}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t, Scalars const&) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const&, Scalars const& s, double*) const {
    if (s.improves) v.best(i) = v.x(i);
    if (s.restarts) v.r(i) = Scalar(Z(v.r(i)) / s.beta);
  }
};

/// x <- x + z, if an update of x is pending.
template <class V>
struct GmresAddUpdate {
  V x, z;
  GmresState const* state;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (state->update_columns > 0) x(i) += z(i);
  }
};

}  // namespace einkorn::detail
