// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/detail/sort_keys.hpp>
#include <einkorn/formats/generate/rmat_edges.hpp>
#include <einkorn/formats/generate/row_pattern.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

template <class Keys>
struct GenerateRmatKeys {
  RmatEdges graph;
  Keys keys;

  KOKKOS_FUNCTION void operator()(std::int64_t edge) const { keys(edge) = graph.key(edge); }
};

template <class Exec, class Keys>
void generate_keys(Exec const& exec, RmatEdges const& graph, Keys const& keys) {
  range_for<std::int64_t>("einkorn::build_csr[rmat keys]", exec, graph.num_edges(),
                          GenerateRmatKeys<Keys>{graph, keys});
}

template <class Keys>
struct CountDistinctKeys {
  Keys sorted;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& count) const {
    if (e == 0 || sorted(e) != sorted(e - 1)) ++count;
  }
};

template <class Exec, class Keys>
std::int64_t count_distinct(Exec const& exec, Keys const& sorted) {
  std::int64_t distinct = 0;
  range_reduce<std::int64_t>("einkorn::build_csr[rmat count]", exec,
                             static_cast<std::int64_t>(sorted.extent(0)), CountDistinctKeys<Keys>{sorted},
                             distinct);
  return distinct;
}

template <class Keys, class Offsets, class Columns, class Values>
struct EntriesFromRmatKeys {
  using Scalar = typename Values::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;
  using Offset = typename Offsets::non_const_value_type;

  RmatEdges graph;
  Keys sorted;
  Offsets offsets;
  Columns columns;
  Values values;
  std::int64_t num_keys;

  KOKKOS_FUNCTION void operator()(std::int64_t e, Offset& position, bool is_final) const {
    std::uint64_t const key = sorted(e);
    bool const is_first = e == 0 || key != sorted(e - 1);
    if (is_final && is_first) {
      std::int64_t next = e + 1;
      while (next < num_keys && sorted(next) == key) ++next;
      columns(position) = static_cast<Ordinal>(graph.column_of(key));
      values(position) = scalar_from<Scalar>(graph.value(key, next - e));
      std::int64_t const row = graph.row_of(key);
      for (std::int64_t i = e == 0 ? 0 : graph.row_of(sorted(e - 1)) + 1; i <= row; ++i) offsets(i) = position;
    }
    if (is_first) ++position;
    if (is_final && e + 1 == num_keys)
      for (std::int64_t i = graph.row_of(key) + 1; i <= graph.num_nodes(); ++i) offsets(i) = position;
  }
};

/// The first of equal keys writes the entry, and the offsets of the rows after the row of the previous key up
/// to its own.
template <class Exec, class Keys, class Offsets, class Columns, class Values>
void entries_from_keys(Exec const& exec, RmatEdges const& graph, Keys const& sorted, Offsets const& offsets,
                       Columns const& columns, Values const& values) {
  auto const num_keys = static_cast<std::int64_t>(sorted.extent(0));
  range_scan<std::int64_t>(
      "einkorn::build_csr[rmat entries]", exec, num_keys,
      EntriesFromRmatKeys<Keys, Offsets, Columns, Values>{graph, sorted, offsets, columns, values, num_keys});
}

}  // namespace detail

/// The adjacency matrix of the graph as CSR: the keys of all edges are sorted and equal keys merged. Exceptions
/// as for build_csr of a RowPattern. Temporary memory: 16 bytes per edge. Fences exec.
template <class Scalar, class Ordinal, class Offset, class Device, ExecutionSpace Exec>
requires AccessibleFrom<Device, Exec>
Csr<Scalar, Ordinal, Offset, Device> build_csr(Exec const& exec, RmatEdges const& graph,
                                               std::string const& name) {
  require_kokkos("build_csr");
  detail::require_fits<Ordinal>(static_cast<double>(graph.num_nodes()), "rows", "Ordinal", name);
  using Keys = Kokkos::View<std::uint64_t*, Device>;
  auto const keys =
      allocate<Keys>(exec, "einkorn::build_csr::keys", static_cast<std::size_t>(graph.num_edges()));
  detail::generate_keys(exec, graph, keys);
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
