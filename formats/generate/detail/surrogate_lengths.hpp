// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace einkorn::detail {

/// A pseudorandom permutation of [0, count): two rounds of multiply and shift modulo the next power of two,
/// repeated until the result is below count (cycle walking; at most twice on average).
class Shuffle {
 public:
  Shuffle(std::int64_t count, CounterRng const& rng) : count_(static_cast<std::uint64_t>(count)) {
    while ((mask_ + 1) < count_) {
      mask_ = 2 * mask_ + 1;
      ++bits_;
    }
    for (int round = 0; round < 2; ++round) {
      factor_[round] = rng.bits(round, 1) | 1u;
      offset_[round] = rng.bits(round, 2);
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const {
    auto value = static_cast<std::uint64_t>(index);
    do {
      for (int round = 0; round < 2; ++round) {
        value = (value * factor_[round] + offset_[round]) & mask_;
        value ^= value >> ((bits_ + 1) / 2);
      }
    } while (value >= count_);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t count_, mask_ = 0, factor_[2], offset_[2];
  int bits_ = 1;
};

/// The row lengths of a surrogate matrix. Groups of rows_per_group rows are ranked by decreasing length, and
/// the length is a function of the rank: the sum is nnz up to rounding for any seed, and the longest row
/// occurs. The rank of a group is its shuffled number. All arithmetic is on integers (fixed point, 2^-16), so
/// that every compiler and device rounds alike.
class SurrogateLengths {
 public:
  SurrogateLengths(SurrogateFeatures const& features, CounterRng const& rng)
      : num_groups_(ceil_div(features.rows, features.rows_per_group)),
        longest_groups_(features.longest_groups),
        num_octaves_(static_cast<int>(features.num_octaves)),
        cols_(features.cols),
        length_multiple_(features.run_length % features.rows_per_group == 0 ? features.rows_per_group : 1),
        body_max_(features.body_max * one),
        body_min_(features.body_min * one),
        shuffle_(num_groups_, rng) {
    knot_[0] = features.longest_row * one;
    std::int64_t low = 0,
                 high = ratio_of_one;  // bisection for the ratio of the lengths at the ends of an octave
    while (high - low > 1) {
      std::int64_t const ratio = (low + high) / 2;
      set_knots(ratio);
      (knot_[num_octaves_] < body_max_ ? low : high) = ratio;
    }
    if (num_octaves_ > 0) knot_[num_octaves_] = body_max_;
    body_begin_ = longest_groups_ << num_octaves_;
    std::int64_t sum = longest_groups_ * knot_[0];
    for (int j = 0; j < num_octaves_; ++j) {
      std::int64_t const groups = longest_groups_ << j;
      sum += groups * knot_[j + 1] + (knot_[j] - knot_[j + 1]) * (groups - 1) / 2;
    }
    std::int64_t const body = std::max<std::int64_t>(1, num_groups_ - body_begin_);
    std::int64_t const body_mean = (features.nnz * one / features.rows_per_group - sum) / body;
    body_middle_ = std::clamp(2 * body_mean - (body_max_ + body_min_) / 2, body_min_, body_max_);
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length_of_group(std::int64_t group) const {
    std::int64_t const length = (length_of_rank(shuffle_(group)) + length_multiple_ * (one / 2)) /
                                (length_multiple_ * one) * length_multiple_;
    return length < cols_ ? length : cols_;
  }

 private:
  enum : std::int64_t { one = 1 << 16, ratio_of_one = 1 << 22 };
  enum : int { max_octaves = 20 };

  void set_knots(std::int64_t ratio) {
    for (int j = 0; j < num_octaves_; ++j) knot_[j + 1] = knot_[j] / 4 * ratio / (ratio_of_one / 4);
  }

  /// Linear interpolation: `from` at 0, `to` at count.
  /// @pre from >= to
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t interpolate(std::int64_t from, std::int64_t to,
                                                                std::int64_t index, std::int64_t count) {
    return from - (from - to) / count * index - (from - to) % count * index / count;
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t length_of_rank(std::int64_t rank) const {
    if (rank < longest_groups_) return knot_[0];
    if (rank < body_begin_) {
      int j = 0;
      while (rank >= longest_groups_ << (j + 1)) ++j;
      return interpolate(knot_[j], knot_[j + 1], rank - (longest_groups_ << j) + 1, longest_groups_ << j);
    }
    std::int64_t const in_body = rank - body_begin_, body = num_groups_ - body_begin_, half = body / 2;
    return in_body < half ? interpolate(body_max_, body_middle_, in_body, half)
                          : interpolate(body_middle_, body_min_, in_body - half, body - half);
  }

  std::int64_t num_groups_, longest_groups_;
  int num_octaves_;
  std::int64_t cols_, length_multiple_, body_max_, body_min_, body_middle_ = 0, body_begin_ = 0;
  std::int64_t knot_[max_octaves + 1] = {};  // lengths at the ranks longest_groups * 2^j - 1
  Shuffle shuffle_;
};

}  // namespace einkorn::detail
