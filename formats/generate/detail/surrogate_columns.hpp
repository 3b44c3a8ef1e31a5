// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// `count` increasing columns of [begin, end), in runs of run_length columns that start at multiples of
/// run_length * stride, one run per stratum. If [begin, end) has too few such positions, every multiple of
/// run_length is used; if there are still too few, every column.
/// @pre count <= end - begin
class ColumnSegment {
 public:
  KOKKOS_FUNCTION ColumnSegment(std::int64_t begin, std::int64_t end, std::int64_t count,
                                std::int64_t run_length, std::int64_t stride)
      : count_(count), run_length_(run_length), step_(run_length * stride) {
    if (num_positions(begin, end) < num_runs()) step_ = run_length_;
    if (num_positions(begin, end) < num_runs()) step_ = run_length_ = 1;
    first_ = ceil_div(begin, step_);
    if (count_ > 0) strata_ = Strata(num_positions(begin, end), num_runs());
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return count_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(CounterRng const& rng, std::int64_t list,
                                                    std::int64_t k) const {
    return (first_ + strata_.column(rng, list, k / run_length_)) * step_ + k % run_length_;
  }

 private:
  /// Whole steps inside [begin, end).
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_positions(std::int64_t begin, std::int64_t end) const {
    return end / step_ - ceil_div(begin, step_);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_runs() const { return ceil_div(count_, run_length_); }

  std::int64_t count_, run_length_, step_, first_ = 0;
  Strata strata_{1, 1};
};

/// Those members of SurrogateFeatures that determine the columns.
struct SurrogateColumnShape {
  std::int64_t rows, cols, near_percent, half_window, half_band, stride, run_length, rows_per_group;
  std::int64_t count_multiple;  // of the counts in the window and in the band

  explicit SurrogateColumnShape(SurrogateFeatures const& features)
      : rows(features.rows),
        cols(features.cols),
        near_percent(features.near_percent),
        half_window(features.half_window),
        half_band(features.half_band),
        stride(features.stride),
        run_length(features.run_length),
        rows_per_group(features.rows_per_group),
        count_multiple(features.run_length % features.rows_per_group == 0 ? features.rows_per_group : 1) {}
};

/// The columns of one group of rows: near_percent of them in a window about the diagonal, the others in the
/// band to the left and to the right of the window, in proportion to the columns there. A row that does not fit
/// the band takes its columns from the whole matrix.
class SurrogateColumns {
 public:
  KOKKOS_FUNCTION SurrogateColumns(SurrogateColumnShape const& shape, CounterRng const& rng, std::int64_t group,
                                   std::int64_t count)
      : list_(group), count_(count), rng_(rng) {
    std::int64_t const first = group * shape.rows_per_group, middle = first + shape.rows_per_group / 2;
    std::int64_t const centre = (middle < shape.rows ? middle : first) * shape.cols / shape.rows;
    std::int64_t const window_begin = max_with_zero(centre - shape.half_window),
                       window_end = min(centre + shape.half_window + 1, shape.cols);
    std::int64_t band_begin = min(max_with_zero(centre - shape.half_band), window_begin),
                 band_end = min(centre + shape.half_band + 1, shape.cols);
    if (band_end < window_end) band_end = window_end;
    std::int64_t const window = window_end - window_begin;
    std::int64_t near = min((count * shape.near_percent + rng.below(100, group, -1)) / 100, window);
    near -= near % shape.count_multiple;
    if (count - near > band_end - band_begin - window) {
      band_begin = 0;
      band_end = shape.cols;
    }
    std::int64_t const outside = band_end - band_begin - window;  // columns of the band outside the window
    if (count - near > outside) near = count - outside;
    std::int64_t const far = count - near;
    std::int64_t left =
        outside == 0 ? 0 : (far * (window_begin - band_begin) + rng.below(outside, group, -2)) / outside;
    left -= left % shape.count_multiple;
    if (far - left > band_end - window_end) left = far - (band_end - window_end);
    segment_[0] = ColumnSegment(band_begin, window_begin, left, shape.run_length, shape.stride);
    segment_[1] = ColumnSegment(window_begin, window_end, near, shape.run_length, 1);
    segment_[2] = ColumnSegment(window_end, band_end, far - left, shape.run_length, shape.stride);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return count_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
    int part = 0;
    while (part < 2 && k >= segment_[part].count()) k -= segment_[part++].count();
    return segment_[part].column(rng_, 3 * list_ + part, k);
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t min(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t max_with_zero(std::int64_t a) { return a > 0 ? a : 0; }

  std::int64_t list_, count_;
  ColumnSegment segment_[3] = {{0, 1, 0, 1, 1}, {0, 1, 0, 1, 1}, {0, 1, 0, 1, 1}};
  CounterRng rng_;
};

}  // namespace einkorn::detail
