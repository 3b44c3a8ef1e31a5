// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/surrogate_features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace einkorn::detail {

/// A bijection of [0, count) that scatters neighbours: two rounds of multiply and shift on the next power of
/// two, repeated until the result lies inside (twice at most on average).
class Shuffle {
 public:
  Shuffle(std::int64_t count, Draws const& draws) : count_(static_cast<std::uint64_t>(count)) {
    while ((mask_ + 1) < count_) {
      mask_ = 2 * mask_ + 1;
      ++bits_;
    }
    for (int round = 0; round < 2; ++round) {
      factor_[round] = draws.word(round, 1) | 1u;
      offset_[round] = draws.word(round, 2);
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const {
    auto word = static_cast<std::uint64_t>(index);
    do {
      for (int round = 0; round < 2; ++round) {
        word = (word * factor_[round] + offset_[round]) & mask_;
        word ^= word >> ((bits_ + 1) / 2);
      }
    } while (word >= count_);
    return static_cast<std::int64_t>(word);
  }

 private:
  std::uint64_t count_, mask_ = 0, factor_[2], offset_[2];
  int bits_ = 1;
};

/// The row lengths of a twin. Groups of `alike` rows are ranked from the longest to the shortest, and the
/// length is a function of the rank: the sum is nnz but for rounding, whatever the seed, and the longest row is
/// there. The rank of a group is its shuffled number.
///
/// All in fixed point, 2^-16: integers, so that no compiler and no device rounds another way.
class TwinLengths {
 public:
  TwinLengths(TwinFeatures const& features, Draws const& draws)
      : num_groups_((features.rows + features.alike - 1) / features.alike),
        hubs_(features.hubs),
        octaves_(static_cast<int>(features.octaves)),
        cols_(features.cols),
        unit_(features.run % features.alike == 0 ? features.alike : 1),
        high_(features.high * one),
        low_(features.low * one),
        shuffle_(num_groups_, draws) {
    knot_[0] = features.longest * one;
    std::int64_t least = 0, most = ratio_of_one;  // of the lengths at the ends of an octave
    while (most - least > 1) {
      std::int64_t const ratio = (least + most) / 2;
      set_knots(ratio);
      (knot_[octaves_] < high_ ? least : most) = ratio;
    }
    if (octaves_ > 0) knot_[octaves_] = high_;
    tail_ = hubs_ << octaves_;
    std::int64_t sum = hubs_ * knot_[0];
    for (int j = 0; j < octaves_; ++j) {
      std::int64_t const groups = hubs_ << j;
      sum += groups * knot_[j + 1] + (knot_[j] - knot_[j + 1]) * (groups - 1) / 2;
    }
    std::int64_t const body = std::max<std::int64_t>(1, num_groups_ - tail_);
    std::int64_t const wanted = (features.nnz * one / features.alike - sum) / body;  // the mean of the body
    mid_ = std::clamp(2 * wanted - (high_ + low_) / 2, low_, high_);
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t of_group(std::int64_t group) const {
    std::int64_t const length = (of_rank(shuffle_(group)) + unit_ * (one / 2)) / (unit_ * one) * unit_;
    return length < cols_ ? length : cols_;
  }

 private:
  enum : std::int64_t { one = 1 << 16, ratio_of_one = 1 << 22 };
  enum : int { max_octaves = 20 };

  void set_knots(std::int64_t ratio) {
    for (int j = 0; j < octaves_; ++j) knot_[j + 1] = knot_[j] / 4 * ratio / (ratio_of_one / 4);
  }

  /// from at 0, to at count; from >= to.
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t between(std::int64_t from, std::int64_t to,
                                                            std::int64_t index, std::int64_t count) {
    return from - (from - to) / count * index - (from - to) % count * index / count;
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t of_rank(std::int64_t rank) const {
    if (rank < hubs_) return knot_[0];
    if (rank < tail_) {
      int j = 0;
      while (rank >= hubs_ << (j + 1)) ++j;
      return between(knot_[j], knot_[j + 1], rank - (hubs_ << j) + 1, hubs_ << j);
    }
    std::int64_t const at = rank - tail_, body = num_groups_ - tail_, half = body / 2;
    return at < half ? between(high_, mid_, at, half) : between(mid_, low_, at - half, body - half);
  }

  std::int64_t num_groups_, hubs_;
  int octaves_;
  std::int64_t cols_, unit_, high_, low_, mid_ = 0, tail_ = 0;
  std::int64_t knot_[max_octaves + 1] = {};  // lengths at the ranks hubs * 2^j - 1
  Shuffle shuffle_;
};

}  // namespace einkorn::detail
