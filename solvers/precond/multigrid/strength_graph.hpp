// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/solvers/precond/multigrid/strength.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// An undirected graph of the strong connections of a matrix: node i is connected with columns(k), k =
/// row_offsets(i) .. row_offsets(i + 1) - 1. Ascending, without i itself and without repetitions; symmetric.
template <class Ordinal, class Offset, class Device>
struct StrengthGraph {
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;

  Ordinal num_nodes = 0;
  Kokkos::View<Offset*, Device> row_offsets;  // [num_nodes + 1]
  Kokkos::View<Ordinal*, Device> columns;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal node) const { return row_offsets(node); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset end(Ordinal node) const { return row_offsets(node + 1); }
};

/// The graph of all entries of a matrix with one row per node, as a StrengthGraph without memory of its own. The
/// diagonal entries connect nodes with themselves.
template <class Matrix>
struct EntryGraph {
  using ordinal_type = typename Matrix::ordinal_type;
  using offset_type = typename Matrix::offset_type;
  static constexpr bool is_complete = true;  // all entries are strong

  explicit EntryGraph(Matrix const& A)
      : num_nodes(A.num_rows), row_offsets(A.row_offsets), columns(A.columns) {}

  ordinal_type num_nodes;
  decltype(Matrix::row_offsets) row_offsets;
  decltype(Matrix::columns) columns;
};

template <class Graph>
concept CompleteGraph = Graph::is_complete;

template <class Rows, class Scales>
struct CountStrong {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;

  Rows rows;
  Scales scales;
  double theta;
  Kokkos::View<Offset*, typename Scales::device_type> counts;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    double const scale = scales(i);
    Offset count = 0;
    rows.for_each_block(i, [&](Ordinal j, double norm) {
      if (j != i && is_strong(norm, scale, scales(j), theta)) ++count;
    });
    counts(i) = count;
  }
};

template <class Rows, class Scales, class Graph>
struct FillStrong {
  using Ordinal = typename Rows::Ordinal;

  Rows rows;
  Scales scales;
  double theta;
  Graph graph;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    double const scale = scales(i);
    auto at = graph.begin(i);
    rows.for_each_block(i, [&](Ordinal j, double norm) {
      if (j != i && is_strong(norm, scale, scales(j), theta)) graph.columns(at++) = j;
    });
  }
};

/// Counts the connections (i, j) without (j, i).
template <class Graph>
struct CountOneWay {
  using Ordinal = typename Graph::ordinal_type;

  Graph graph;

  KOKKOS_FUNCTION void operator()(Ordinal i, std::int64_t& count) const {
    for (auto k = graph.begin(i); k < graph.end(i); ++k) {
      Ordinal const j = graph.columns(k);
      auto const at = lower_bound_index(graph.columns, graph.begin(j), graph.end(j), i);
      if (at == graph.end(j) || graph.columns(at) != i) ++count;
    }
  }
};

/// Row i of the union of two graphs: its length (columns of `to` not allocated yet) or its columns.
template <class Graph, class Transposed, bool fill>
struct MergeGraphs {
  using Ordinal = typename Graph::ordinal_type;
  using Offset = typename Graph::offset_type;

  Graph graph;
  Transposed transposed;
  Graph to;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    Offset a = graph.begin(i), b = transposed.row_begin(i);
    Offset const a_end = graph.end(i), b_end = transposed.row_end(i);
    Offset count = 0, at = 0;
    if constexpr (fill) at = to.begin(i);
    while (a < a_end || b < b_end) {
      bool const from_a = a < a_end && (b == b_end || graph.columns(a) <= transposed.columns(b));
      Ordinal const j = from_a ? graph.columns(a) : transposed.columns(b);
      if (b < b_end && transposed.columns(b) == j) ++b;
      if (from_a) ++a;
      if constexpr (fill) to.columns(at++) = j;
      ++count;
    }
    if constexpr (!fill) to.row_offsets(i) = count;
  }
};

template <class Exec, class Functor, class Ordinal>
void for_each_node(Exec const& exec, char const* label, Ordinal count, Functor const& functor) {
  range_for<Ordinal>(label, exec, count, functor);
}

/// The union of a graph and its transpose; the graph itself if it is symmetric.
template <class Exec, class Ordinal, class Offset, class Device>
StrengthGraph<Ordinal, Offset, Device> make_symmetric(Exec const& exec,
                                                      StrengthGraph<Ordinal, Offset, Device> const& graph) {
  using Graph = StrengthGraph<Ordinal, Offset, Device>;
  Ordinal const n = graph.num_nodes;
  std::int64_t one_way = 0;
  range_reduce<Ordinal>("einkorn::strength_graph[one-way]", exec, n, CountOneWay<Graph>{graph}, one_way);
  if (one_way == 0) return graph;
  // The values are not used.
  auto const transposed = transpose(exec, Csr<Ordinal, Ordinal, Offset, Device>{n, n, graph.row_offsets,
                                                                                graph.columns, graph.columns})
                              .matrix;
  using Transposed = std::remove_const_t<decltype(transposed)>;
  Graph result;
  result.num_nodes = n;
  result.row_offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::strength_graph::row_offsets",
                                                               static_cast<std::size_t>(n) + 1);
  for_each_node(exec, "einkorn::strength_graph[merged lengths]", n,
                MergeGraphs<Graph, Transposed, false>{graph, transposed, result});
  auto const size = counts_to_offsets(exec, result.row_offsets);
  result.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::strength_graph::columns", size);
  for_each_node(exec, "einkorn::strength_graph[merge]", n,
                MergeGraphs<Graph, Transposed, true>{graph, transposed, result});
  return result;
}

/// The graph of the strong connections between the nodes of A: i and j != i are connected if
///   |A_ij|^2 > theta^2 |A_ii| |A_jj|   or   |A_ji|^2 > theta^2 |A_ii| |A_jj|
/// where A_ij is a block of block_size x block_size entries and |.| the Frobenius norm.
///
/// @param A n x n, real, valid (validate()); rows may be unsorted, repeated positions add up
/// @param threshold theta >= 0; with 0 every stored block with a nonzero entry is strong
/// @param block_size rows per node, 1 .. 16; divides n
/// @throws DimensionMismatch (not square, block_size does not divide n), InvalidArgument (threshold,
/// block_size), OutOfMemory
///
/// A node whose diagonal block is zero is connected with all neighbours of nonzero entries; NaN connects
/// nothing. Cost: reads A twice, its columns once more, and the graph with log2(row length) reads per entry to
/// verify the symmetry; a transpose of the graph if it is not symmetric, and a sorted copy of A if its rows are
/// not sorted. One thread per node. Fences exec. Deterministic.
///
/// Source: Vanek, Mandel & Brezina, Computing 56, 1996, section 4.1 (strength). Departures: a strict
/// inequality, so that stored zeros are weak for theta = 0; norms of blocks; the union with the transpose.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
StrengthGraph<Ordinal, Offset, Device> strength_graph(Exec const& exec,
                                                      Csr<Scalar, Ordinal, Offset, Device> const& A,
                                                      double threshold, int block_size = 1) {
  using Graph = StrengthGraph<Ordinal, Offset, Device>;
  check_strength("strength_graph", A, threshold, block_size);
  Kokkos::Profiling::ScopedRegion region("einkorn::strength_graph");
  Graph graph;
  graph.num_nodes = A.num_rows / static_cast<Ordinal>(block_size);
  Ordinal const n = graph.num_nodes;
  graph.row_offsets = allocate_zeros<Kokkos::View<Offset*, Device>>(
      exec, "einkorn::strength_graph::row_offsets", static_cast<std::size_t>(n) + 1);
  if (n == 0) return graph;
  return with_block_rows(exec, A, block_size, [&](auto const& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    auto const scales = strength_scales(exec, rows);
    using Scales = std::remove_const_t<decltype(scales)>;
    for_each_node(exec, "einkorn::strength_graph[count]", n,
                  CountStrong<Rows, Scales>{rows, scales, threshold, graph.row_offsets});
    auto const size = counts_to_offsets(exec, graph.row_offsets);
    graph.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::strength_graph::columns", size);
    for_each_node(exec, "einkorn::strength_graph[fill]", n,
                  FillStrong<Rows, Scales, Graph>{rows, scales, threshold, graph});
    return make_symmetric(exec, graph);
  });
}

}  // namespace einkorn::detail
