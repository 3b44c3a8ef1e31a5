// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

template <class T>
concept RealScalar = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept IntegerScalar = std::signed_integral<T> && sizeof(T) >= 4;

/// std::complex and Kokkos::complex, known by their shape so that neither has to be included.
template <class T>
concept ComplexScalar = requires(T const& z) {
  { z.real() } -> std::convertible_to<double>;
  { z.imag() } -> std::convertible_to<double>;
  T(z.real(), z.imag());
} && RealScalar<std::remove_cvref_t<decltype(std::declval<T const&>().real())>>;

template <class T>
concept MatrixMarketScalar = RealScalar<T> || IntegerScalar<T> || ComplexScalar<T>;

template <class T>
concept MatrixMarketOrdinal = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <ComplexScalar T>
using RealOf = std::remove_cvref_t<decltype(std::declval<T const&>().real())>;

/// As the user writes it, for messages.
template <class T>
std::string type_name() {
  if constexpr (std::same_as<T, float>)
    return "float";
  else if constexpr (std::same_as<T, double>)
    return "double";
  else if constexpr (std::integral<T>)
    return "int" + std::to_string(8 * sizeof(T)) + "_t";
  else
    return "std::complex<" + type_name<RealOf<T>>() + ">";
}

template <class T>
bool is_finite(T const& value) {
  if constexpr (ComplexScalar<T>)
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  else if constexpr (RealScalar<T>)
    return std::isfinite(value);
  else
    return true;
}

template <class T>
bool is_zero(T const& value) {
  if constexpr (ComplexScalar<T>)
    return value.real() == 0 && value.imag() == 0;
  else
    return value == 0;
}

/// einkorn::conjugate for either kind of complex number. Not of the same name: device code in einkorn::detail
/// would find this function, which is for the host, where a program includes both.
template <class T>
T conjugate_on_host(T const& value) {
  if constexpr (ComplexScalar<T>)
    return T(value.real(), -value.imag());
  else
    return value;
}

/// false when -value is no T (the smallest integer).
template <class T>
bool negate(T const& value, T& result) {
  if constexpr (ComplexScalar<T>) {
    result = T(-value.real(), -value.imag());
  } else {
    if constexpr (std::integral<T>)
      if (value == std::numeric_limits<T>::min()) return false;
    result = -value;
  }
  return true;
}

/// false when sum + value is no T; sum is then unchanged.
template <class T>
bool add_to(T& sum, T const& value) {
  if constexpr (ComplexScalar<T>) {
    sum = T(sum.real() + value.real(), sum.imag() + value.imag());
  } else {
    if constexpr (std::integral<T>) {
      using Range = std::numeric_limits<T>;
      if (value > 0 ? sum > Range::max() - value : sum < Range::min() - value) return false;
    }
    sum += value;
  }
  return true;
}

}  // namespace einkorn::detail
