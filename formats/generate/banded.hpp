// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/symmetric.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// One full band of `width` diagonals about the main one. Symmetric positive definite: see SymmetricValues.
///
/// Models the generalised finite elements of the bDIA paper, whose band widens with the order of interpolation
/// at a constant number of unknowns (the width is the parameter of its figures 8, SpMV, and 9, CG and
/// BiCGStab), one-dimensional problems, and meshes after a bandwidth-reducing reordering.
class Band {
 public:
  Band(std::int64_t num_rows, std::int64_t width, SymmetricValues const& values)
      : num_rows_(num_rows), reach_(width / 2), values_(values) {}

  class Row {
   public:
    KOKKOS_FUNCTION Row(Band const& band, std::int64_t row)
        : index_(row),
          first_(row > band.reach_ ? row - band.reach_ : 0),
          end_(band.num_rows_ - row > band.reach_ ? row + band.reach_ + 1 : band.num_rows_),
          values_(band.values_) {}
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return end_ - first_; }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const { return first_ + k; }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column, *this);
    }

   private:
    std::int64_t index_, first_, end_;
    SymmetricValues values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, reach_;
  SymmetricValues values_;
};

/// `count` bands of `width` full diagonals each, with centres 2 floor(N / (2 count)) apart, symmetric about the
/// main diagonal (which is inside a band if count is odd). Values are random, not symmetric.
///
/// Models a structured mesh numbered plane by plane: one band for the line of a point and one for each
/// neighbouring line and plane. Formats that store diagonals have to support distant bands, disjoint windows of
/// x, and bands cut off by the corners of the matrix.
class SpreadBands {
 public:
  SpreadBands(std::int64_t num_rows, std::int64_t width, std::int64_t count, CounterRng const& values)
      : num_rows_(num_rows),
        width_(width),
        count_(count),
        step_(2 * (num_rows / (2 * count))),
        values_(values) {}

  class Row {
   public:
    /// Bands do not overlap: at most one is cut at the left edge and at most one at the right edge.
    KOKKOS_FUNCTION Row(SpreadBands const& bands, std::int64_t row)
        : index_(row), width_(bands.width_), step_(bands.step_), values_(bands.values_) {
      std::int64_t const leftmost = row - (bands.count_ - 1) * (bands.step_ / 2) - bands.width_ / 2;
      std::int64_t const skipped = leftmost + width_ > 0 ? 0 : -(leftmost + width_) / step_ + 1;
      begin_ = leftmost + skipped * step_;  // of the first band that is not entirely left of column 0
      cut_ = begin_ < 0 ? -begin_ : 0;
      std::int64_t const bands_left = bands.count_ - skipped;
      std::int64_t const to_right_edge = bands.num_rows_ - begin_;
      std::int64_t const starting =
          to_right_edge > 0 ? (to_right_edge - 1) / step_ + 1 : 0;  // bands that start before the right edge
      std::int64_t const num_bands = starting < bands_left ? starting : bands_left;
      if (num_bands > 0) {
        std::int64_t const last_to_edge = to_right_edge - (num_bands - 1) * step_;
        length_ = (num_bands - 1) * width_ + (last_to_edge < width_ ? last_to_edge : width_) - cut_;
      }
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return length_; }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      std::int64_t const band = (k + cut_) / width_;
      return begin_ + band * step_ + (k + cut_ - band * width_);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return values_.value(index_, column);
    }

   private:
    std::int64_t index_, width_, step_, begin_ = 0, cut_ = 0, length_ = 0;
    CounterRng values_;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_rows_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  std::int64_t num_rows_, width_, count_, step_;
  CounterRng values_;
};

/// gen:band:N:D
[[nodiscard]] inline Band make_band(GeneratorSpec const& spec, bool with_imag) {
  auto const n = spec.numbers[0], width = spec.numbers[1];
  spec.expect(width % 2 == 1 && width / 2 < n, "an odd D, at most 2 N - 1,");
  return Band(n, width, SymmetricValues(spec.seed, with_imag));
}

/// gen:bands:N:W:K
[[nodiscard]] inline SpreadBands make_spread_bands(GeneratorSpec const& spec, bool with_imag) {
  auto const n = spec.numbers[0], width = spec.numbers[1], count = spec.numbers[2];
  spec.expect(width < 2 * (n / (2 * count)), "K bands that lie apart, W < 2 floor(N / (2 K)),");
  return SpreadBands(n, width, count, CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
