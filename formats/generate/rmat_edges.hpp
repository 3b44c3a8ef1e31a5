// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace einkorn {

/// The edges of an R-MAT graph (Chakrabarti, Zhan & Faloutsos, SDM 2004) of 2^scale nodes: each edge falls into
/// a quarter of the matrix with chances .57, .19, .19, .05, into a quarter of that, and so on (Graph500's
/// figures unless others are given; no noise, nodes keep their numbers, self-loops stay). Edges are drawn
/// independently; a place that several fall into holds the sum of their values.
///
/// Stands for social networks and web graphs: heavy tails in rows and in columns, hubs wired to hubs, empty
/// rows. Both the balance of work and the cache are at their worst.
class RmatEdges {
 public:
  /// chances: of the upper left, upper right and lower left quarter, in percent; their sum is below 100.
  RmatEdges(int scale, std::int64_t num_edges, std::array<std::int64_t, 3> const& chances, Draws const& edges,
            Draws const& values)
      : scale_(scale),
        num_edges_(num_edges),
        upper_left_(of_65536(chances[0])),
        upper_(upper_left_ + of_65536(chances[1])),
        but_last_(upper_ + of_65536(chances[2])),
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
  /// row * 2^scale + column of an edge. Each level takes 16 bits of a word.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t key(std::int64_t edge) const {
    std::uint64_t row = 0, column = 0, word = 0;
    for (int level = 0; level < scale_; ++level) {
      word = level % 4 == 0 ? edges_.word(edge, level) : word >> 16;
      unsigned const draw = static_cast<unsigned>(word & 0xffffu);
      row = 2 * row + (draw >= upper_ ? 1 : 0);
      column = 2 * column + ((draw >= upper_left_ && draw < upper_) || draw >= but_last_ ? 1 : 0);
    }
    return row << scale_ | column;
  }
  /// The value of a place that `count` edges fell into: depends on nothing but these two.
  [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::uint64_t key, std::int64_t count) const {
    Numerator sum = values_.value(static_cast<std::int64_t>(key), 0);
    bool const has_imag = sum.imag != 0;
    for (std::int64_t copy = 1; copy < count; ++copy)
      sum += values_.value(static_cast<std::int64_t>(key), copy);
    if (sum.real == 0) sum.real = 1;  // cancelled: no stored zero
    if (has_imag && sum.imag == 0) sum.imag = 1;
    return sum;
  }

 private:
  [[nodiscard]] static unsigned of_65536(std::int64_t percent) {
    return static_cast<unsigned>((percent * 65536 + 50) / 100);
  }

  int scale_;
  std::int64_t num_edges_;
  unsigned upper_left_, upper_, but_last_;  // of 2^16
  Draws edges_, values_;
};

/// gen:rmat:SCALE[:EDGEFACTOR=16[:A=57:B=19:C=19]]
[[nodiscard]] inline RmatEdges make_rmat(GeneratorSpec const& spec, bool with_imag) {
  std::int64_t const scale = spec.numbers[0], factor = spec.numbers.size() > 1 ? spec.numbers[1] : 16;
  spec.expect(scale <= 31, "SCALE at most 31");
  spec.expect(factor <= (detail::largest_argument >> scale), "EDGEFACTOR * 2^SCALE at most 2^40");
  bool const has_chances = spec.numbers.size() > 2;
  spec.expect(!has_chances || spec.numbers.size() == 5, "none or all three of A, B and C");
  std::array<std::int64_t, 3> chances{57, 19, 19};
  if (has_chances) std::copy_n(spec.numbers.begin() + 2, 3, chances.begin());
  for (auto const chance : chances) spec.expect(chance < 100, "A, B and C in percent");
  spec.expect(chances[0] + chances[1] + chances[2] < 100, "A + B + C below 100 percent");
  return RmatEdges(static_cast<int>(scale), factor << scale, chances, Draws(spec.seed, column_stream, false),
                   Draws(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
