// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

namespace detail {

/// Floor of the cube root, digit by digit (Warren, Hacker's Delight, section 11-2).
KOKKOS_INLINE_FUNCTION std::uint64_t cube_root(std::uint64_t x) {
  std::uint64_t y = 0;
  for (int shift = 63; shift >= 0; shift -= 3) {
    y *= 2;
    std::uint64_t const digit = 3 * y * (y + 1) + 1;
    if ((x >> shift) >= digit) {
      x -= digit << shift;
      ++y;
    }
  }
  return y;
}

}  // namespace detail

/// Square, with power-law row lengths: P(length >= l) = (m / l)^(3/2), a density proportional to l^-2.5; m
/// follows from the required mean, and lengths are limited to N. Columns are stratified random (Strata).
///
/// Models graphs with heavy-tailed degrees and no other structure (web, citations, social networks: measured
/// exponents lie between 2 and 3). The longest of N rows is about N^(2/3) times the shortest, a bad case for
/// kernels that divide work by rows and for padded formats.
class PowerLawRows {
 public:
  PowerLawRows(std::int64_t num_rows, std::int64_t mean, CounterRng const& lengths, CounterRng const& columns,
               CounterRng const& values)
      : num_rows_(num_rows), mean_(mean), lengths_(lengths), columns_(columns), values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(PowerLawRows const& rows, std::int64_t row)
        : index_(row),
          length_(rows.length(row)),
          strata_(rows.num_rows_, length_ > 0 ? length_ : 1),
          columns_(rows.columns_),
          values_(rows.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return length_; }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      return strata_.column(columns_, index_, k);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    std::int64_t index_, length_;
    Strata strata_;
    CounterRng columns_, values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  /// floor(m u^(-2/3)) for u = t / 2^32, t uniform in [1, 2^32). The mean of m u^(-2/3) is 3 m, and rounding
  /// down reduces it by 1/2, hence m = (mean + 1/2) / 3.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length(std::int64_t row) const {
    std::uint64_t const t = (lengths_.bits(row, 0) >> 32) | 1u;
    auto const root = static_cast<std::int64_t>(detail::cube_root(t * t));  // t^(2/3), at most 2642245
    std::int64_t const length = (2 * mean_ + 1) * 2642246 / (6 * root);     // 2642246 = 2^(64/3), rounded up
    return length < num_rows_ ? length : num_rows_;
  }

  std::int64_t num_rows_, mean_;
  CounterRng lengths_, columns_, values_;
};

/// gen:powerlaw:N:MEAN
[[nodiscard]] inline PowerLawRows make_power_law(GeneratorSpec const& spec, bool with_imag) {
  spec.expect(spec.numbers[1] <= spec.numbers[0], "MEAN at most N");
  return PowerLawRows(spec.numbers[0], spec.numbers[1], CounterRng(spec.seed, length_stream, false),
                      CounterRng(spec.seed, column_stream, false),
                      CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
