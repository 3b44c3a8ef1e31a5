// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace einkorn {

/// The edges of an R-MAT graph (Chakrabarti, Zhan and Faloutsos, SDM 2004) of 2^scale nodes: each edge falls
/// into a quadrant of the matrix with probabilities .57, .19, .19, .05, then into a quadrant of that, and so on
/// (the probabilities of Graph500 unless others are given; no noise, no renumbering, self-loops stay). Edges
/// are independent; a position with several edges has the sum of their values.
///
/// Models social networks and web graphs: heavy tails in rows and columns, connected hubs, empty rows. A bad
/// case for load balance and for caches.
class RmatEdges {
 public:
  /// @param probabilities of the upper left, upper right and lower left quadrant, in percent; their sum is
  /// below 100
  RmatEdges(int scale, std::int64_t num_edges, std::array<std::int64_t, 3> const& probabilities,
            CounterRng const& edges, CounterRng const& values)
      : scale_(scale),
        num_edges_(num_edges),
        upper_left_(of_65536(probabilities[0])),
        upper_(upper_left_ + of_65536(probabilities[1])),
        lower_left_(upper_ + of_65536(probabilities[2])),
        edges_(edges),
        values_(values) {}

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_nodes() const { return std::int64_t(1) << scale_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_edges() const { return num_edges_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row_of(std::uint64_t key) const {
    return static_cast<std::int64_t>(key >> scale_);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column_of(std::uint64_t key) const {
    return static_cast<std::int64_t>(key) & (num_nodes() - 1);
  }
  /// row * 2^scale + column of an edge. Each level uses 16 random bits.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t key(std::int64_t edge) const {
    std::uint64_t row = 0, column = 0, bits = 0;
    for (int level = 0; level < scale_; ++level) {
      bits = level % 4 == 0 ? edges_.bits(edge, level) : bits >> 16;
      unsigned const drawn = static_cast<unsigned>(bits & 0xffffu);
      row = 2 * row + (drawn >= upper_ ? 1 : 0);
      column = 2 * column + ((drawn >= upper_left_ && drawn < upper_) || drawn >= lower_left_ ? 1 : 0);
    }
    return row << scale_ | column;
  }
  /// The value of a position with `count` edges; a function of the key and the count.
  [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::uint64_t key, std::int64_t count) const {
    Numerator sum = values_.value(static_cast<std::int64_t>(key), 0);
    bool const has_imag = sum.imag != 0;
    for (std::int64_t copy = 1; copy < count; ++copy)
      sum += values_.value(static_cast<std::int64_t>(key), copy);
    if (sum.real == 0) sum.real = 1;  // no stored zero after cancellation
    if (has_imag && sum.imag == 0) sum.imag = 1;
    return sum;
  }

 private:
  [[nodiscard]] static unsigned of_65536(std::int64_t percent) {
    return static_cast<unsigned>((percent * 65536 + 50) / 100);
  }

  int scale_;
  std::int64_t num_edges_;
  unsigned upper_left_, upper_, lower_left_;  // cumulative probabilities, in units of 2^-16
  CounterRng edges_, values_;
};

/// gen:rmat:SCALE[:EDGEFACTOR=16[:A=57:B=19:C=19]]
[[nodiscard]] inline RmatEdges make_rmat(GeneratorSpec const& spec, bool with_imag) {
  std::int64_t const scale = spec.numbers[0], factor = spec.numbers.size() > 1 ? spec.numbers[1] : 16;
  spec.expect(scale <= 31, "SCALE at most 31");
  spec.expect(factor <= (detail::max_argument >> scale), "EDGEFACTOR * 2^SCALE at most 2^40");
  bool const has_probabilities = spec.numbers.size() > 2;
  spec.expect(!has_probabilities || spec.numbers.size() == 5, "none or all three of A, B and C");
  std::array<std::int64_t, 3> probabilities{57, 19, 19};
  if (has_probabilities) std::copy_n(spec.numbers.begin() + 2, 3, probabilities.begin());
  for (auto const probability : probabilities) spec.expect(probability < 100, "A, B and C in percent");
  spec.expect(probabilities[0] + probabilities[1] + probabilities[2] < 100, "A + B + C below 100 percent");
  return RmatEdges(static_cast<int>(scale), factor << scale, probabilities,
                   CounterRng(spec.seed, column_stream, false), CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
