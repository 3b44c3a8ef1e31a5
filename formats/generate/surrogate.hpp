// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/detail/surrogate_columns.hpp>
#include <einkorn/formats/generate/detail/surrogate_lengths.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace einkorn {

/// A surrogate matrix: it has published features of a named matrix of the SuiteSparse collection, and is not
/// that matrix. The size, the number of entries (within 2 %), the longest row, the deviation of the row
/// lengths, the bandwidth, the runs of adjacent columns and the groups of rows with equal columns are those of
/// SurrogateFeatures. Order of the rows, distribution of the column lengths, symmetry and values are not those
/// of the original: rows are shuffled, values random. Times on a surrogate characterize the structure, not the
/// original matrix.
class Surrogate {
 public:
  Surrogate(SurrogateFeatures const& features, CounterRng const& lengths, CounterRng const& columns,
            CounterRng const& values)
      : num_rows_(features.rows),
        num_cols_(features.cols),
        rows_per_group_(features.rows_per_group),
        lengths_(features, lengths),
        column_shape_(features),
        columns_(columns),
        values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(Surrogate const& surrogate, std::int64_t row)
        : index_(row),
          columns_(surrogate.column_shape_, surrogate.columns_, row / surrogate.rows_per_group_,
                   surrogate.length(row)),
          values_(surrogate.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return columns_.count(); }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const { return columns_.column(k); }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    std::int64_t index_;
    detail::SurrogateColumns columns_;
    CounterRng values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_cols_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length(std::int64_t row) const {
    return lengths_.length_of_group(row / rows_per_group_);
  }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, num_cols_, rows_per_group_;
  detail::SurrogateLengths lengths_;
  detail::SurrogateColumnShape column_shape_;
  CounterRng columns_, values_;
};

/// The features of the matrix `name`; upper and lower case are equal.
/// @throws InvalidArgument, which lists the names.
[[nodiscard]] inline SurrogateFeatures find_surrogate(std::string_view name) {
  auto const same = [](char a, char b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(a) == lower(b);
  };
  std::string known;
  for (auto const& surrogate : surrogate_features) {
    if (std::equal(name.begin(), name.end(), surrogate.name.begin(), surrogate.name.end(), same))
      return surrogate;
    known += (known.empty() ? "" : ", ") + std::string(surrogate.name);
  }
  throw InvalidArgument("generator: no surrogate matrix is called \"" + std::string(name) +
                        "\"; available: " + known);
}

/// gen:surrogate:NAME[:PERCENT=100]
[[nodiscard]] inline Surrogate make_surrogate(GeneratorSpec const& spec, bool with_imag) {
  std::int64_t const percent = spec.numbers.empty() ? 100 : spec.numbers[0];
  spec.expect(percent <= 10000, "PERCENT at most 10000");
  return Surrogate(scaled(find_surrogate(spec.name), percent), CounterRng(spec.seed, length_stream, false),
                   CounterRng(spec.seed, column_stream, false), CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
