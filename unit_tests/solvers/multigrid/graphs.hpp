// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Graphs on the host, and the strength of connections by definition.

#include "../../support/host_matrix.hpp"

#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/solvers/precond/multigrid/aggregates.hpp>
#include <einkorn/solvers/precond/multigrid/strength_graph.hpp>

#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace einkorn::test {

using NeighbourSets = std::vector<std::set<int>>;

/// The strong connections by definition: dense loops over the blocks in double.
inline NeighbourSets strong_connections(HostMatrix<double> const& A, double theta, int block_size) {
  auto const b = static_cast<std::size_t>(block_size);
  std::map<std::pair<std::size_t, std::size_t>, double> entries;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) entries[{i, A.column(k)}] += A.values[k];
  std::map<std::pair<std::size_t, std::size_t>, double> squares;
  for (auto const& [at, value] : entries) squares[{at.first / b, at.second / b}] += value * value;
  NeighbourSets result(A.rows() / b);
  for (auto const& [at, square] : squares) {
    auto const [i, j] = at;
    if (i == j) continue;
    double const limit = theta * theta * std::sqrt(squares[{i, i}]) * std::sqrt(squares[{j, j}]);
    if (square > limit) {
      result[i].insert(static_cast<int>(j));
      result[j].insert(static_cast<int>(i));
    }
  }
  return result;
}

template <class Graph>
NeighbourSets neighbours(Graph const& graph) {
  auto const offsets = to_host(graph.row_offsets);
  auto const columns = to_host(graph.columns);
  NeighbourSets result(static_cast<std::size_t>(graph.num_nodes));
  for (std::size_t i = 0; i < result.size(); ++i)
    for (auto k = offsets[i]; k < offsets[i + 1]; ++k) result[i].insert(columns[static_cast<std::size_t>(k)]);
  return result;
}

/// The nodes within `distance` connections of a node, itself included.
inline std::set<int> ball(NeighbourSets const& graph, int node, int distance) {
  std::set<int> result{node};
  for (int step = 0; step < distance; ++step)
    for (int const v : std::set<int>(result)) {
      auto const& next = graph[static_cast<std::size_t>(v)];
      result.insert(next.begin(), next.end());
    }
  return result;
}

/// Whether the nodes form one connected part of the graph.
inline bool is_connected(NeighbourSets const& graph, std::set<int> const& nodes) {
  std::set<int> reached{*nodes.begin()};
  std::vector<int> open{*nodes.begin()};
  while (!open.empty()) {
    int const v = open.back();
    open.pop_back();
    for (int const w : graph[static_cast<std::size_t>(v)])
      if (nodes.count(w) > 0 && reached.insert(w).second) open.push_back(w);
  }
  return reached == nodes;
}

inline Csr<double, int, int, Device> generated(std::string_view spec) {
  return generate<double, int, int, Device>(Space(), spec);
}

}  // namespace einkorn::test
