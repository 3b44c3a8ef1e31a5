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

/// |v|^2 in double.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION double squared(Scalar const& v) {
  if constexpr (is_complex<Scalar>)
    return static_cast<double>(v.real()) * static_cast<double>(v.real()) +
           static_cast<double>(v.imag()) * static_cast<double>(v.imag());
  else
    return static_cast<double>(v) * static_cast<double>(v);
}

/// Doubles that a scalar has: 1, complex 2.
template <class Scalar>
inline constexpr int components = is_complex<Scalar> ? 2 : 1;

/// sums[0 .. components - 1] += conj(u) v, in double.
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

/// y <- alpha sum + beta y as by Update, and the dot products that the new y feeds: y.y, u.y and, with w, w.y
/// and w.u (the first factor conjugated), in this order, all in double (partial_sums.hpp). A row that is
/// completed in several pieces is corrected: y.y by the difference of the squares. Every row is handed over,
/// also one without entries; only for a matrix without any, or alpha = 0, may a format set y to beta y by
/// itself, gather nothing, and do so even where the ledger only counts. Reads u and w once a row beside what
/// the product reads; writes `count` doubles a unit.
template <class SumType, class V, bool with_w>
struct EpilogueWithDots
    : PartialSums<1 + components<typename V::non_const_value_type>*(with_w ? 3 : 1), typename V::device_type> {
  using sum_type = SumType;
  using Sum = SumType;
  using Scalar = typename V::non_const_value_type;
  using Sums = PartialSums<1 + components<Scalar>*(with_w ? 3 : 1), typename V::device_type>;
  using typename Sums::Accumulators;

  Sum alpha, beta;
  V u, w;  // [num_rows]; w may be empty without with_w

  EpilogueWithDots(Sums const& sums, Sum const& alpha_of_sum, Sum const& beta_of_y, V const& first,
                   V const& second)
      : Sums(sums), alpha(alpha_of_sum), beta(beta_of_y), u(first), w(second) {}

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
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row, Sum const& sum,
                                              Prefetched const& from) const {
    Epilogue<Sum>{alpha, beta}(y, sum);
    Target const value = y;
    accumulators.sums[0] += squared(value);
    add_others(accumulators.sums, from, value);
    add_given(accumulators.sums, from);
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
    add_others(accumulators.sums, prefetch(row), Target(value - before));
  }

  /// The same for a y that is there already.
  template <class Row, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(double* sums, Row row, Target const& value) const {
    Prefetched const from = prefetch(row);
    sums[0] += squared(value);
    add_others(sums, from, value);
    add_given(sums, from);
  }

 private:
  template <class Target>
  KOKKOS_FORCEINLINE_FUNCTION static void add_others(double* sums, Prefetched const& from,
                                                     Target const& value) {
    add_product(sums + 1, from.u, Scalar(value));
    if constexpr (with_w) add_product(sums + 1 + components<Scalar>, from.w, Scalar(value));
  }
  /// w.u, which knows nothing of y: once a row.
  KOKKOS_FORCEINLINE_FUNCTION static void add_given(double* sums, Prefetched const& from) {
    if constexpr (with_w) add_product(sums + 1 + 2 * components<Scalar>, from.w, from.u);
  }
};

/// As Out, but what a product would launch on a GPU is handed to run instead: run(kernel, league_size,
/// team_size). It is how a product becomes one of several sweeps of a cooperative launch, where teams have
/// neither scratch nor barriers. On the host PartialsLayout::capture does the same.
template <class EpilogueOp, class Run>
struct KernelCapture : EpilogueOp {
  static constexpr bool is_captured = true;
  Run const* receiver;

  KernelCapture(EpilogueOp const& out, Run const& run) : EpilogueOp(out), receiver(&run) {}

  template <class Policy, class Kernel>
  void launch(std::string const&, Policy const& policy, Kernel const& kernel) const {
    (*receiver)(kernel, static_cast<int>(policy.league_size()), static_cast<int>(policy.team_size()));
  }
};

}  // namespace einkorn
