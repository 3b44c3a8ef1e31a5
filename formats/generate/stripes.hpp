// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// Stripes: `height` consecutive rows (the last stripe may have fewer) with the same `width` columns,
/// stratified over all columns. Neighbouring stripes always differ: the first column is even in even stripes
/// and odd in odd stripes.
///
/// Models groups of rows with equal columns: several unknowns per mesh node, time steps of one sensor, pages of
/// one web site with the same navigation. BRCV stores such a list once, and its SpMM reads the rows of the
/// dense matrix once for all rows of a stripe.
class Stripes {
 public:
  Stripes(std::int64_t num_rows, std::int64_t height, std::int64_t width, CounterRng const& columns,
          CounterRng const& values)
      : num_rows_(num_rows), height_(height), width_(width), columns_(columns), values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(Stripes const& stripes, std::int64_t row)
        : index_(row),
          stripe_(row / stripes.height_),
          width_(stripes.width_),
          strata_(stripes.num_rows_, stripes.width_),
          columns_(stripes.columns_),
          values_(stripes.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return width_; }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      if (k > 0) return strata_.column(columns_, stripe_, k);
      return 2 * columns_.below(strata_.size(0) / 2, stripe_, 0) + stripe_ % 2;
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    std::int64_t index_, stripe_, width_;
    Strata strata_;
    CounterRng columns_, values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, height_, width_;
  CounterRng columns_, values_;
};

/// gen:stripes:N:HEIGHT:WIDTH
[[nodiscard]] inline Stripes make_stripes(GeneratorSpec const& spec, bool with_imag) {
  auto const n = spec.numbers[0], height = spec.numbers[1], width = spec.numbers[2];
  spec.expect(width <= n / 2, "WIDTH at most N / 2 (so that neighbouring stripes can differ)");
  return Stripes(n, height, width, CounterRng(spec.seed, column_stream, false),
                 CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
