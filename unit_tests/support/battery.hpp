// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "host_matrix.hpp"

#include <einkorn/core/scalar.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {

/// The positions of the entries of a matrix.
struct Pattern {
  std::string name;
  std::int64_t num_rows = 0, num_cols = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> columns;
  bool all_zero = false;  // every stored value is 0

  [[nodiscard]] std::size_t nnz() const { return columns.size(); }
  [[nodiscard]] bool is_large() const { return num_rows + num_cols > 50000; }
};

/// Rows of the given lengths with increasing columns, distributed over the width.
Pattern from_lengths(std::string name, std::vector<std::int64_t> const& lengths, std::int64_t num_cols);

/// 0 to 24 different entries per row.
Pattern random_pattern(std::int64_t num_rows, std::int64_t num_cols, std::uint64_t seed);

/// The test matrices of all kernels and conversions. Constructed once.
std::vector<Pattern> const& battery();

/// 64 pseudo-random bits, a function of i and seed.
std::uint64_t noise(std::uint64_t i, std::uint64_t seed);

enum class Numbers {
  integers,  ///< -3 .. 3, including zero: sums are exact in any order
  reals      ///< in [-1, 1], with 21 bits: exact in every scalar; products are not
};

template <class S>
S number(Numbers kind, std::uint64_t i, std::uint64_t seed) {
  auto const real = [&](std::uint64_t part) {
    auto const bits = noise(2 * i + part, seed);
    using R = real_type<S>;
    if (kind == Numbers::integers) return static_cast<R>(static_cast<int>(bits % 7) - 3);
    return static_cast<R>(static_cast<double>(static_cast<int>(bits % 0x200001u) - 0x100000) / 0x100000);
  };
  if constexpr (is_complex<S>)
    return S(real(0), real(1));
  else
    return real(0);
}

/// A vector of numbers.
template <class S>
std::vector<S> numbers(Numbers kind, std::size_t size, std::uint64_t seed) {
  std::vector<S> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = number<S>(kind, i, seed);
  return result;
}

template <class S, class O = int, class F = int>
HostMatrix<S, O, F> with_numbers(Pattern const& pattern, Numbers kind, std::uint64_t seed = 1) {
  HostMatrix<S, O, F> A{static_cast<O>(pattern.num_rows), static_cast<O>(pattern.num_cols), {}, {}, {}};
  for (auto const offset : pattern.offsets) A.offsets.push_back(static_cast<F>(offset));
  for (auto const column : pattern.columns) A.columns.push_back(static_cast<O>(column));
  A.values = pattern.all_zero ? std::vector<S>(pattern.nnz(), S(0)) : numbers<S>(kind, pattern.nnz(), seed);
  return A;
}

template <class C>
using HostMatrixOf = HostMatrix<typename C::Scalar, typename C::Ordinal, typename C::Offset>;

template <class C>
HostMatrixOf<C> with_numbers_of(Pattern const& pattern, Numbers kind, std::uint64_t seed = 1) {
  return with_numbers<typename C::Scalar, typename C::Ordinal, typename C::Offset>(pattern, kind, seed);
}

}  // namespace einkorn::test
