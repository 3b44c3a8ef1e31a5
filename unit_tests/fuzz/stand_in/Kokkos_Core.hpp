// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// For the fuzz targets only: the few names of Kokkos that host code uses in headers which launch no kernel, so
// that a target compiles in seconds and needs no Kokkos built for clang and its sanitizers.

#include <cmath>
#include <complex>

#define KOKKOS_FUNCTION
#define KOKKOS_INLINE_FUNCTION inline
#define KOKKOS_FORCEINLINE_FUNCTION inline

namespace Kokkos {

template <class T>
using complex = std::complex<T>;

using std::isfinite;

namespace Experimental {
struct half_t {};
struct bhalf_t {};
}  // namespace Experimental

}  // namespace Kokkos
