// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/detail/sort_keys.hpp>
#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/row_pattern.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

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

namespace detail {

template <class Exec, class Keys>
static void draw_keys(Exec const& exec, RmatEdges const& graph, Keys const& keys) {
  Kokkos::parallel_for(
      "einkorn::build_csr[rmat keys]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, graph.num_edges()),
      KOKKOS_LAMBDA(std::int64_t edge) { keys(edge) = graph.key(edge); });
}

template <class Exec, class Keys>
static std::int64_t count_distinct(Exec const& exec, Keys const& sorted) {
  std::int64_t distinct = 0;
  Kokkos::parallel_reduce(
      "einkorn::build_csr[rmat count]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 static_cast<std::int64_t>(sorted.extent(0))),
      KOKKOS_LAMBDA(std::int64_t e, std::int64_t & count) {
        if (e == 0 || sorted(e) != sorted(e - 1)) ++count;
      },
      distinct);
  return distinct;
}

/// The first of equal keys writes the entry, and the beginnings of the rows between the key before it and its
/// own.
template <class Exec, class Keys, class Offsets, class Columns, class Values>
static void entries_from_keys(Exec const& exec, RmatEdges const& graph, Keys const& sorted,
                              Offsets const& offsets, Columns const& columns, Values const& values) {
  using Scalar = typename Values::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;
  using Offset = typename Offsets::non_const_value_type;
  auto const num_keys = static_cast<std::int64_t>(sorted.extent(0));
  Kokkos::parallel_scan(
      "einkorn::build_csr[rmat entries]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_keys),
      KOKKOS_LAMBDA(std::int64_t e, Offset & position, bool is_final) {
        std::uint64_t const key = sorted(e);
        bool const is_first = e == 0 || key != sorted(e - 1);
        if (is_final && is_first) {
          std::int64_t next = e + 1;
          while (next < num_keys && sorted(next) == key) ++next;
          columns(position) = static_cast<Ordinal>(graph.column_of(key));
          values(position) = scalar_from<Scalar>(graph.value(key, next - e));
          std::int64_t const row = graph.row_of(key);
          for (std::int64_t i = e == 0 ? 0 : graph.row_of(sorted(e - 1)) + 1; i <= row; ++i)
            offsets(i) = position;
        }
        if (is_first) ++position;
        if (is_final && e + 1 == num_keys)
          for (std::int64_t i = graph.row_of(key) + 1; i <= graph.num_nodes(); ++i) offsets(i) = position;
      });
}

}  // namespace detail

/// The adjacency matrix of the graph as CSR: keys of all edges, sorted, equal ones merged. See build_csr of a
/// RowPattern for what is thrown and when it is ready. Memory on the way: two words of 64 bits an edge.
template <class Scalar, class Ordinal, class Offset, class Device, ExecutionSpace Exec>
requires AccessibleFrom<Device, Exec> Csr<Scalar, Ordinal, Offset, Device> build_csr(Exec const& exec,
                                                                                     RmatEdges const& graph,
                                                                                     std::string const& name) {
  require_kokkos("build_csr");
  detail::require_fits<Ordinal>(static_cast<double>(graph.num_nodes()), "rows", "Ordinal", name);
  using Keys = Kokkos::View<std::uint64_t*, Device>;
  auto const keys =
      allocate<Keys>(exec, "einkorn::build_csr::keys", static_cast<std::size_t>(graph.num_edges()));
  detail::draw_keys(exec, graph, keys);
  detail::sort_keys(exec, keys, graph.num_nodes() * graph.num_nodes());
  std::int64_t const nnz = detail::count_distinct(exec, keys);
  detail::require_fits<Offset>(static_cast<double>(nnz), "entries", "Offset", name);
  using Offsets = Kokkos::View<Offset*, Device>;
  auto const offsets = allocate<Offsets>(exec, "einkorn::build_csr::row_offsets",
                                         static_cast<std::size_t>(graph.num_nodes()) + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::build_csr::columns",
                                                                static_cast<std::size_t>(nnz));
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::build_csr::values",
                                                              static_cast<std::size_t>(nnz));
  detail::entries_from_keys(exec, graph, keys, offsets, columns, values);
  exec.fence("einkorn::build_csr: the keys have been read");
  auto const n = static_cast<Ordinal>(graph.num_nodes());
  return {n, n, offsets, columns, values};
}

}  // namespace einkorn
