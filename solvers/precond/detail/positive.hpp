// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Whether a diagonal entry is possible in a Hermitian positive definite matrix: positive, and real up to
/// rounding.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_positive_real(T const& value) {
  if constexpr (is_complex<T>)
    return value.real() > 0 &&
           Kokkos::abs(value.imag()) <= Kokkos::Experimental::epsilon_v<real_type<T>> * value.real();
  else
    return value > 0;
}

}  // namespace einkorn::detail
