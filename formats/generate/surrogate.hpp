// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/detail/surrogate_columns.hpp>
#include <einkorn/formats/generate/detail/surrogate_lengths.hpp>
#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace einkorn {

/// A matrix with the published features of another one: a twin, not the matrix. It has the size, the number of
/// entries (within 2 %), the longest row, the spread of row lengths, the reach from the diagonal and the runs
/// of neighbouring columns and of rows alike that TwinFeatures names. Where in the matrix long rows stand,
/// which columns are popular, symmetry and the values are not those of the original: rows are shuffled, values
/// random.
///
/// Stands for a matrix of a public collection where that collection is out of reach; a kernel's time on the
/// twin says how the kernel takes such a structure, not what it takes on the original.
class Twin {
 public:
  Twin(TwinFeatures const& features, Draws const& lengths, Draws const& columns, Draws const& values)
      : num_rows_(features.rows),
        num_cols_(features.cols),
        alike_(features.alike),
        lengths_(features, lengths),
        shape_(features),
        columns_(columns),
        values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(Twin const& twin, std::int64_t row)
        : index_(row),
          columns_(twin.shape_, twin.columns_, row / twin.alike_, twin.length(row)),
          values_(twin.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return columns_.count(); }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const { return columns_.column(k); }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    std::int64_t index_;
    detail::TwinColumns columns_;
    Draws values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_cols_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length(std::int64_t row) const {
    return lengths_.of_group(row / alike_);
  }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, num_cols_, alike_;
  detail::TwinLengths lengths_;
  detail::TwinShape shape_;
  Draws columns_, values_;
};

/// The features under a name; upper and lower case are the same. Throws InvalidArgument, which lists the names.
[[nodiscard]] inline TwinFeatures find_twin(std::string_view name) {
  auto const same = [](char a, char b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(a) == lower(b);
  };
  std::string known;
  for (auto const& twin : twin_features) {
    if (std::equal(name.begin(), name.end(), twin.name.begin(), twin.name.end(), same)) return twin;
    known += (known.empty() ? "" : ", ") + std::string(twin.name);
  }
  throw InvalidArgument("generator: no twin is called \"" + std::string(name) + "\"; there are " + known);
}

/// gen:twin:NAME[:PERCENT=100]
[[nodiscard]] inline Twin make_twin(GeneratorSpec const& spec, bool with_imag) {
  std::int64_t const percent = spec.numbers.empty() ? 100 : spec.numbers[0];
  spec.expect(percent <= 10000, "PERCENT at most 10000");
  return Twin(scaled(find_twin(spec.name), percent), Draws(spec.seed, length_stream, false),
              Draws(spec.seed, column_stream, false), Draws(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
