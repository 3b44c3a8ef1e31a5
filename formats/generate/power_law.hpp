// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

namespace detail {

/// floor of the cube root, digit by digit (Warren, Hacker's Delight, 11-2).
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

/// Square, with row lengths after a power law: P(length >= l) = (m / l)^(3/2), that is, a density that falls
/// with l^-2.5; m is set for the mean asked for, and a length is cut at N. Columns are spread evenly but at
/// random.
///
/// Stands for graphs whose degrees have a heavy tail without other structure (web, citations, social networks:
/// the exponents measured lie between 2 and 3). The longest of N rows is about N^(2/3) times the shortest,
/// wherever it falls: what breaks kernels that divide work by rows, and padded formats.
class PowerLawRows {
 public:
  PowerLawRows(std::int64_t num_rows, std::int64_t mean, Draws const& lengths, Draws const& columns,
               Draws const& values)
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
    Draws columns_, values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  /// floor(m u^(-2/3)) for u = t / 2^32, t uniform in [1, 2^32). The mean of m u^(-2/3) is 3 m and rounding
  /// down takes a half from it, hence m = (mean + 1/2) / 3.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length(std::int64_t row) const {
    std::uint64_t const t = (lengths_.word(row, 0) >> 32) | 1u;
    auto const root = static_cast<std::int64_t>(detail::cube_root(t * t));  // t^(2/3), at most 2642245
    std::int64_t const length = (2 * mean_ + 1) * 2642246 / (6 * root);     // 2642246 = 2^(64/3), rounded up
    return length < num_rows_ ? length : num_rows_;
  }

  std::int64_t num_rows_, mean_;
  Draws lengths_, columns_, values_;
};

/// gen:powerlaw:N:MEAN
[[nodiscard]] inline PowerLawRows make_power_law(GeneratorSpec const& spec, bool with_imag) {
  spec.expect(spec.numbers[1] <= spec.numbers[0], "MEAN at most N");
  return PowerLawRows(spec.numbers[0], spec.numbers[1], Draws(spec.seed, length_stream, false),
                      Draws(spec.seed, column_stream, false), Draws(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
