// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace einkorn::test {

/// The execution space of this executable.
using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;
using Complex = Kokkos::complex<double>;

/// One choice of types of a typed test.
template <class S, class O, class F>
struct Config {
  using Scalar = S;
  using Ordinal = O;
  using Offset = F;
};

/// The types of a typed test. With EINKORN_TEST_FEW_TYPES only the first: sanitizers check memory accesses and
/// arithmetic that all types share, and instrumented code takes three times as long to compile.
#ifdef EINKORN_TEST_FEW_TYPES
template <class First, class...>
using TestTypes = testing::Types<First>;
#else
template <class... Types>
using TestTypes = testing::Types<Types...>;
#endif

/// The index types of Csr with one scalar.
template <class S>
using Configs =
    TestTypes<Config<S, int, int>, Config<S, int, std::size_t>, Config<S, std::int64_t, std::size_t>>;

/// Every scalar and every pair of index types, not every combination: kernels of float differ from those of double in the
/// lanes of a gather by 32-bit and 64-bit columns; complex numbers are not in SIMD registers.
using ConfigsOfFloat = TestTypes<Config<float, int, int>, Config<float, std::int64_t, std::size_t>>;
using ConfigsOfComplex = TestTypes<Config<Complex, int, std::size_t>>;

}  // namespace einkorn::test
