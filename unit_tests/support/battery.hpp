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

/// Where the entries of a matrix lie, without its values and index types.
struct Pattern {
  std::string name;
  std::int64_t num_rows = 0, num_cols = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> columns;
  bool all_zero = false;  // every stored value is 0

  [[nodiscard]] std::size_t nnz() const { return columns.size(); }
  [[nodiscard]] bool is_large() const { return num_rows + num_cols > 50000; }
};

/// Rows of the given lengths; within a row the columns increase, spread over the width.
Pattern from_lengths(std::string name, std::vector<std::int64_t> const& lengths, std::int64_t num_cols);

/// 0 to 24 entries a row, none twice.
Pattern random_pattern(std::int64_t num_rows, std::int64_t num_cols, std::uint64_t seed);

/// The matrices that every kernel and every conversion has to get right. Made once.
std::vector<Pattern> const& battery();

/// 64 bits that depend on i and seed alone.
std::uint64_t noise(std::uint64_t i, std::uint64_t seed);

enum class Numbers {
  integers,  ///< -3 .. 3, zero among them: sums come out exactly, in any order
  reals      ///< in [-1, 1], with 21 bits: exact in every scalar, their products are not
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

/// A vector of such numbers.
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
