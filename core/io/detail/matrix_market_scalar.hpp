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

/// std::complex and Kokkos::complex, detected by their members so that neither header is needed.
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

/// The name of a type for messages.
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

/// As einkorn::conjugate, for any ComplexScalar, host only. Its name differs, because device code in
/// einkorn::detail would otherwise find this function if a program includes both.
template <class T>
T conjugate_on_host(T const& value) {
  if constexpr (ComplexScalar<T>)
    return T(value.real(), -value.imag());
  else
    return value;
}

/// result = -value; false if it overflows (the minimal integer).
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

/// sum += value; false, with sum unchanged, if an integer sum overflows.
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
