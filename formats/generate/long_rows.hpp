// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// N rows of equal length over M columns, with stratified random columns (Strata).
///
/// Models rectangular matrices with long rows: linear programmes (rail4284), least squares, features of a few
/// samples. With N = 1, a kernel that assigns a row to one thread or team leaves the other cores idle; x is
/// read at random.
class LongRows {
 public:
  LongRows(std::int64_t num_rows, std::int64_t num_cols, std::int64_t length, CounterRng const& columns,
           CounterRng const& values)
      : num_rows_(num_rows), num_cols_(num_cols), length_(length), columns_(columns), values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(LongRows const& rows, std::int64_t row)
        : index_(row),
          length_(rows.length_),
          strata_(rows.num_cols_, rows.length_),
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
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_cols_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, num_cols_, length_;
  CounterRng columns_, values_;
};

/// gen:longrows:N:M:LEN
[[nodiscard]] inline LongRows make_long_rows(GeneratorSpec const& spec, bool with_imag) {
  spec.expect(spec.numbers[2] <= spec.numbers[1], "LEN at most M");
  return LongRows(spec.numbers[0], spec.numbers[1], spec.numbers[2],
                  CounterRng(spec.seed, column_stream, false), CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
