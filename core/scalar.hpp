// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Half.hpp>

#include <type_traits>

namespace einkorn {

namespace detail {

template <class T>
struct ScalarTraits {
  using real = T;
  static constexpr bool is_complex = false;
};
template <class T>
struct ScalarTraits<Kokkos::complex<T>> {
  using real = T;
  static constexpr bool is_complex = true;
};

template <class T>
inline constexpr bool is_half =
    std::is_same_v<T, Kokkos::Experimental::half_t> || std::is_same_v<T, Kokkos::Experimental::bhalf_t>;

/// The wider of two real types, with half and bfloat16 promoted to float.
template <class T>
using AtLeastFloat = std::conditional_t<is_half<T>, float, T>;
template <class A, class B>
using WiderReal = std::common_type_t<AtLeastFloat<A>, AtLeastFloat<B>>;

}  // namespace detail

template <class T>
inline constexpr bool is_complex = detail::ScalarTraits<std::remove_cv_t<T>>::is_complex;

/// The real type of a scalar: T of complex<T>, otherwise T.
template <class T>
using real_type = typename detail::ScalarTraits<std::remove_cv_t<T>>::real;

namespace detail {

template <class... Scalars>
struct SumType;
template <class A>
struct SumType<A> {
  using real = WiderReal<real_type<A>, real_type<A>>;
  using type = std::conditional_t<is_complex<A>, Kokkos::complex<real>, real>;
};
template <class A, class B, class... Rest>
struct SumType<A, B, Rest...> {
  using real = WiderReal<real_type<A>, real_type<B>>;
  using pair = std::conditional_t<is_complex<A> || is_complex<B>, Kokkos::complex<real>, real>;
  using type = typename SumType<pair, Rest...>::type;
};

}  // namespace detail

/// The type in which products of the given scalars are summed: the widest of their real types, at least float;
/// complex if one of them is complex. alpha and beta have this type.
template <class... Scalars>
using sum_type = typename detail::SumType<std::remove_cv_t<Scalars>...>::type;

/// The complex conjugate of value; value if it is real.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate(T const& value) {
  if constexpr (is_complex<T>)
    return T(value.real(), -value.imag());
  else
    return value;
}

namespace detail {

/// True if the real and imaginary parts are finite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool has_finite_parts(T const& value) {
  if constexpr (is_complex<T>)
    return Kokkos::isfinite(value.real()) && Kokkos::isfinite(value.imag());
  else
    return Kokkos::isfinite(value);
}

}  // namespace detail

}  // namespace einkorn
