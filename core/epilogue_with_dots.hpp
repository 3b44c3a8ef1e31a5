// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

/// |v|^2 in double precision.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION double squared(Scalar const& v) {
  if constexpr (is_complex<Scalar>)
    return static_cast<double>(v.real()) * static_cast<double>(v.real()) +
           static_cast<double>(v.imag()) * static_cast<double>(v.imag());
  else
    return static_cast<double>(v) * static_cast<double>(v);
}

/// The number of real components of a scalar: 1, or 2 if complex.
template <class Scalar>
inline constexpr int components = is_complex<Scalar> ? 2 : 1;

/// sums[0 .. components<U> - 1] += conj(u) v in double precision.
template <class U, class V>
KOKKOS_FORCEINLINE_FUNCTION void add_product(double* sums, U const& u, V const& v) {
  if constexpr (is_complex<U>) {
    auto const ur = static_cast<double>(u.real()), ui = static_cast<double>(u.imag());
    auto const vr = static_cast<double>(v.real()), vi = static_cast<double>(v.imag());
    sums[0] += ur * vr + ui * vi;
    sums[1] += ur * vi - ui * vr;
  } else {
    sums[0] += static_cast<double>(u) * static_cast<double>(v);
  }
}

/// Epilogue that also accumulates dot products with the new y:
///
///     y <- alpha sum + beta y;   sums: y.y, u.y and, with_w, w.y, w.u   (first factor conjugated, this order)
///
/// in double precision (partial_sums.hpp). add() corrects the sums of a row that is completed later; y.y by the
/// difference of the squares. Kernels apply the epilogue to every row, empty rows included. Exception: for a
/// matrix without entries or alpha == 0 a format may compute y <- beta y and accumulate nothing, also in a dry
/// run. Additional traffic: u and w are read once per row; `count` doubles are written per block.
template <class SumType, class V, bool with_w>
struct EpilogueWithDots
    : PartialSums<1 + components<typename V::non_const_value_type>*(with_w ? 3 : 1), typename V::device_type> {
  using sum_type = SumType;
  using Sum = SumType;
  using Scalar = typename V::non_const_value_type;
  using Sums = PartialSums<1 + components<Scalar>*(with_w ? 3 : 1), typename V::device_type>;
  using typename Sums::Accumulators;

  Sum alpha, beta;
  V u, w;  // [num_rows]; w may be empty if !with_w

  EpilogueWithDots(Sums const& sums, Sum const& alpha_in, Sum const& beta_in, V const& u_in, V const& w_in)
      : Sums(sums), alpha(alpha_in), beta(beta_in), u(u_in), w(w_in) {}

  struct Prefetched {
    Scalar u, w;
  };
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Row row) const {
    auto const at = static_cast<std::size_t>(row);
    if constexpr (with_w)
      return {u(at), w(at)};
    else
      return {u(at), Scalar(0)};
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row, Sum const& sum,
                                              Prefetched const& prefetched) const {
    Epilogue<Sum>{alpha, beta}(y, sum);
    Target const value = y;
    accumulate(accumulators.sums, row, value, prefetched);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row,
                                              Sum const& sum) const {
    (*this)(accumulators, y, row, sum, prefetch(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators& accumulators, Target& y, Row row, Sum const& rest) const {
    Target const before = y;
    Epilogue<Sum>{alpha, beta}.add(y, rest);
    Target const value = y;
    accumulators.sums[0] += squared(value) - squared(before);
    add_dots_with(Target(value - before), accumulators.sums, prefetch(row));
  }

  /// Adds the dot products of a row whose y is final to sums.
  template <class Row, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(double* sums, Row, Target const& value,
                                              Prefetched const& prefetched) const {
    sums[0] += squared(value);
    add_dots_with(value, sums, prefetched);
    add_w_dot_u(sums, prefetched);
  }
  template <class Row, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(double* sums, Row row, Target const& value) const {
    accumulate(sums, row, value, prefetch(row));
  }

 private:
  template <class Target>
  KOKKOS_FORCEINLINE_FUNCTION static void add_dots_with(Target const& value, double* sums,
                                                        Prefetched const& prefetched) {
    add_product(sums + 1, prefetched.u, Scalar(value));
    if constexpr (with_w) add_product(sums + 1 + components<Scalar>, prefetched.w, Scalar(value));
  }
  /// w.u does not depend on y: add once per row.
  KOKKOS_FORCEINLINE_FUNCTION static void add_w_dot_u(double* sums, Prefetched const& prefetched) {
    if constexpr (with_w) add_product(sums + 1 + 2 * components<Scalar>, prefetched.w, prefetched.u);
  }
};

}  // namespace einkorn
