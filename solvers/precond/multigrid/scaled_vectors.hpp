// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/partial_sums.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/precond/multigrid/ordered_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// sum |r_i|
template <class R, class Device>
struct SumOfMagnitudes {
  using Sums = PartialSums<1, Device>;
  using Loaded = double;
  R r;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return static_cast<double>(r(i)); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& value, bool, double* sums) const {
    sums[0] += Kokkos::fabs(value);
  }
};

/// scale[0] <- the power of two 2^-e with 2^e <= mean |r_i| < 2^(e+1), scale[1] <- 2^e; 1 if r is zero or not
/// finite.
struct StoreScale {
  double* scale;
  double size;

  KOKKOS_FUNCTION void operator()(double const* sums) const { store(sums[0] / size); }
  KOKKOS_FUNCTION void store(double mean) const {
    bool const is_regular = mean > 0 && Kokkos::isfinite(mean);
    int const exponent = is_regular ? static_cast<int>(Kokkos::floor(Kokkos::log2(mean))) : 0;
    int const bounded = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    scale[0] = Kokkos::exp2(static_cast<double>(-bounded));
    scale[1] = Kokkos::exp2(static_cast<double>(bounded));
  }
};

/// The same with the root mean square sqrt(squared_norm / n) for the mean.
struct StoreScaleOfNorm {
  StoreScale of_mean;
  double const* squared_norm;

  KOKKOS_FUNCTION void operator()(int) const { of_mean.store(Kokkos::sqrt(*squared_norm / of_mean.size)); }
};

/// to(i) <- scale M(i) from(i); scale null: 1, M empty: 1.
template <class From, class To, class M>
struct ScaledCopy {
  From from;
  To to;
  M diagonal;
  double const* scale;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    using Target = typename To::non_const_value_type;
    auto value = static_cast<double>(from(i));
    if (scale != nullptr) value *= *scale;
    if (diagonal.extent(0) != 0) value *= static_cast<double>(diagonal(i));
    to(i) = Target(value);
  }
};

template <class Exec, class From, class To, class M>
void scaled_copy(Exec const& exec, From const& from, To const& to, M const& diagonal, double const* scale) {
  range_for<std::size_t>("einkorn::Multigrid[convert]", exec, to.extent(0),
                         ScaledCopy<From, To, M>{from, to, diagonal, scale});
}

}  // namespace einkorn::detail
