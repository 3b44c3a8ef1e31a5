// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// `count` increasing columns of [begin, end), in runs that start at multiples of run * stride: a run a
/// stratum. Where there are too few such places, every place serves, and then every column. count <= end -
/// begin.
class TwinSegment {
 public:
  KOKKOS_FUNCTION TwinSegment(std::int64_t begin, std::int64_t end, std::int64_t count, std::int64_t run,
                              std::int64_t stride)
      : TwinSegment(begin, end, count, run, run * stride, 0) {}
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return count_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(Draws const& draws, std::int64_t list,
                                                    std::int64_t k) const {
    return (first_ + strata_.column(draws, list, k / run_)) * step_ + k % run_;
  }

 private:
  KOKKOS_FUNCTION TwinSegment(std::int64_t begin, std::int64_t end, std::int64_t count, std::int64_t run,
                              std::int64_t step, int)
      : count_(count), run_(run), step_(step) {
    if (places(begin, end) < runs()) step_ = run_;
    if (places(begin, end) < runs()) step_ = run_ = 1;
    first_ = (begin + step_ - 1) / step_;
    if (count_ > 0) strata_ = Strata(places(begin, end), runs());
  }
  /// Whole steps inside [begin, end).
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t places(std::int64_t begin, std::int64_t end) const {
    return end / step_ - (begin + step_ - 1) / step_;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t runs() const { return (count_ + run_ - 1) / run_; }

  std::int64_t count_, run_, step_, first_ = 0;
  Strata strata_{1, 1};
};

/// How the columns of a twin's rows lie.
struct TwinShape {
  std::int64_t rows, cols, near, half_window, half_band, stride, run, alike, unit;

  explicit TwinShape(TwinFeatures const& features)
      : rows(features.rows),
        cols(features.cols),
        near(features.near),
        half_window(features.half_window),
        half_band(features.half_band),
        stride(features.stride),
        run(features.run),
        alike(features.alike),
        unit(features.run % features.alike == 0 ? features.alike : 1) {}
};

/// The columns of one group of rows: some in a window about the diagonal, the others in the band to the left
/// and to the right of it, shared out by the room there is. A row that the band does not hold takes all
/// columns.
class TwinColumns {
 public:
  KOKKOS_FUNCTION TwinColumns(TwinShape const& shape, Draws const& draws, std::int64_t group,
                              std::int64_t count)
      : list_(group), count_(count), draws_(draws) {
    std::int64_t const first = group * shape.alike, middle = first + shape.alike / 2;
    std::int64_t const centre = (middle < shape.rows ? middle : first) * shape.cols / shape.rows;
    std::int64_t const from = above_zero(centre - shape.half_window),
                       to = below(centre + shape.half_window + 1, shape.cols);
    std::int64_t left = below(above_zero(centre - shape.half_band), from),
                 right = below(centre + shape.half_band + 1, shape.cols);
    if (right < to) right = to;
    std::int64_t const window = to - from;
    std::int64_t near = below((count * shape.near + draws.below(100, group, -1)) / 100, window);
    near -= near % shape.unit;
    if (count - near > right - left - window) {
      left = 0;
      right = shape.cols;
    }
    std::int64_t const room = right - left - window;
    if (count - near > room) near = count - room;
    std::int64_t const far = count - near;
    std::int64_t before = room == 0 ? 0 : (far * (from - left) + draws.below(room, group, -2)) / room;
    before -= before % shape.unit;
    if (far - before > right - to) before = far - (right - to);
    segment_[0] = TwinSegment(left, from, before, shape.run, shape.stride);
    segment_[1] = TwinSegment(from, to, near, shape.run, 1);
    segment_[2] = TwinSegment(to, right, far - before, shape.run, shape.stride);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return count_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
    int part = 0;
    while (part < 2 && k >= segment_[part].count()) k -= segment_[part++].count();
    return segment_[part].column(draws_, 3 * list_ + part, k);
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t below(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t above_zero(std::int64_t a) { return a > 0 ? a : 0; }

  std::int64_t list_, count_;
  TwinSegment segment_[3] = {{0, 1, 0, 1, 1}, {0, 1, 0, 1, 1}, {0, 1, 0, 1, 1}};
  Draws draws_;
};

}  // namespace einkorn::detail
