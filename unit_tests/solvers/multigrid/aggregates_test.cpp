// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Independent sets of distance 2 and aggregates: properties of the partition, the same bits everywhere.

#include "../../support/throws.hpp"
#include "../systems.hpp"
#include "graphs.hpp"

#include <einkorn/core/mix64.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Graph = detail::StrengthGraph<int, int, Device>;
constexpr int no_limit = 1 << 30;

struct NamedGraph {
  std::string name;
  Graph graph;
};

Graph graph_of(HostMatrix<double> const& A, double theta = 0, int block_size = 1) {
  return detail::strength_graph(Space(), A.on_device(), theta, block_size);
}

/// Node 0 is connected with all others, which have no other connections.
HostMatrix<double> star(std::size_t n) {
  std::vector<std::vector<double>> dense(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) dense[0][i] = dense[i][0] = dense[i][i] = 1;
  return from_dense(dense, n);
}

std::vector<NamedGraph> graphs() {
  return {{"path", graph_of(lattice(1000).A)},
          {"2-d, 5 points", graph_of(lattice(31, 40).A)},
          {"3-d, 7 points", graph_of(lattice(12, 13, 11).A)},
          {"3-d, 27 points", graph_of(to_host(generated("gen:stencil27:11x12x10")))},
          {"weak entries, isolated nodes", graph_of(to_host(generated("gen:stencil27:11x12x10")), 0.03)},
          {"blocks of 3", graph_of(to_host(generated("gen:elasticity:8x7x6")), 0.08, 3)},
          {"unsymmetric", graph_of(dominant<double>(2000, 1).A)},
          {"power law", graph_of(to_host(generated("gen:rmat:10")))},
          {"one dense row", graph_of(star(300))},
          {"complete", graph_of(rotated_spectrum(60, 1e3).A)},
          {"isolated", graph_of(diagonal_spectrum(50, 10).A)},
          {"two nodes", graph_of(lattice(2).A)}};
}

std::vector<std::set<int>> sets_of(detail::Aggregates<int, Device> const& aggregates) {
  std::vector<std::set<int>> result(static_cast<std::size_t>(aggregates.count));
  auto const of_node = to_host(aggregates.of_node);
  for (std::size_t v = 0; v < of_node.size(); ++v)
    if (of_node[v] >= 0) result.at(static_cast<std::size_t>(of_node[v])).insert(static_cast<int>(v));
  return result;
}

/// Nodes of a maximal independent set of the subgraph that the nodes induce.
std::set<int> independent_set(Graph const& graph, std::vector<int> const& nodes) {
  detail::Mis2<int, int, Device> mis2(Space(), graph);
  int const iterations = mis2.run(Space(), to_device(nodes), static_cast<int>(nodes.size()));
  EXPECT_LE(iterations, 40);
  auto const states = to_host(mis2.states());
  std::set<int> result;
  for (std::size_t v = 0; v < states.size(); ++v) {
    EXPECT_TRUE(states[v] == detail::Mis2Words::in || states[v] == detail::Mis2Words::out);
    if (states[v] == detail::Mis2Words::in) result.insert(static_cast<int>(v));
  }
  return result;
}

TEST(Mis2, IsIndependentAndMaximal) {
  for (auto const& [name, graph] : graphs()) {
    SCOPED_TRACE(name);
    auto const all = neighbours(graph);
    for (int const part : {1, 2, 3}) {  // every node, every second, every third
      std::vector<int> nodes;
      for (int v = 0; v < graph.num_nodes; v += part) nodes.push_back(v);
      NeighbourSets induced(all.size());
      for (int const v : nodes)
        for (int const w : all[static_cast<std::size_t>(v)])
          if (w % part == 0) induced[static_cast<std::size_t>(v)].insert(w);

      auto const roots = independent_set(graph, nodes);

      std::set<int> covered;
      for (int const root : roots) {
        EXPECT_EQ(root % part, 0);
        auto const near = ball(induced, root, 2);
        for (int const v : near) EXPECT_TRUE(v == root || roots.count(v) == 0) << root << " and " << v;
        covered.insert(near.begin(), near.end());
      }
      EXPECT_EQ(covered, std::set<int>(nodes.begin(), nodes.end()));
    }
  }
}

TEST(Aggregates, PartitionTheConnectedNodes) {
  for (auto const& [name, graph] : graphs())
    for (int const max_size : {no_limit, 40, 9, 3, 2}) {
      SCOPED_TRACE(name + ", at most " + std::to_string(max_size));
      auto const all = neighbours(graph);

      auto const aggregates = detail::aggregate(Space(), graph, max_size);

      auto const of_node = to_host(aggregates.of_node);
      ASSERT_EQ(of_node.size(), all.size());
      for (std::size_t v = 0; v < all.size(); ++v) {
        EXPECT_EQ(of_node[v] < 0, all[v].empty()) << v;
        EXPECT_GE(of_node[v], -1);
        EXPECT_LT(of_node[v], aggregates.count);
      }
      for (auto const& nodes : sets_of(aggregates)) {
        ASSERT_FALSE(nodes.empty());
        EXPECT_LE(nodes.size(), static_cast<std::size_t>(max_size));
        EXPECT_TRUE(is_connected(all, nodes));
        if (max_size == no_limit) {
          EXPECT_GE(nodes.size(), 2u);
          EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(), [&](int root) {
            auto const near = ball(all, root, 2);
            return std::includes(near.begin(), near.end(), nodes.begin(), nodes.end());
          })) << "no node is within 2 connections of all others";
        }
      }
    }
}

TEST(Aggregates, SizesOnStencils) {
  auto const mean = [](char const* spec) {
    auto const graph = detail::strength_graph(Space(), generated(spec), 0);
    auto const aggregates = detail::aggregate(Space(), graph, 64);
    return static_cast<double>(graph.num_nodes) / aggregates.count;
  };
  EXPECT_NEAR(mean("gen:stencil5:80x80"), 7.2, 0.4);
  EXPECT_NEAR(mean("gen:stencil7:20x20x20"), 10.6, 0.8);
  EXPECT_NEAR(mean("gen:stencil27:20x20x20"), 38, 6);
}

TEST(Aggregates, DenseRowWithLimit) {
  auto const sets = sets_of(detail::aggregate(Space(), graph_of(star(300)), 32));
  EXPECT_EQ(sets.size(), 269u) << "the leaves beyond the limit have no other neighbour";
  auto const all = sets_of(detail::aggregate(Space(), graph_of(star(300)), no_limit));
  EXPECT_EQ(all.size(), 1u);
}

/// A hash of the numbers in their order.
std::uint64_t hash_of(std::vector<int> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t(0), [](std::uint64_t hash, int number) {
    return detail::mix64(hash * 31 + static_cast<std::uint64_t>(number + 2));
  });
}

/// The constants are those of one thread; the test runs with 1, 2 and 3.
TEST(Aggregates, SameBitsForEveryNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (auto const& [name, graph] : graphs())
    for (int const max_size : {no_limit, 9}) {
      auto const first = to_host(detail::aggregate(Space(), graph, max_size).of_node);
      for (int run = 0; run < 3; ++run)
        EXPECT_EQ(to_host(detail::aggregate(Space(), graph, max_size).of_node), first) << name;
      hashes.push_back(hash_of(first));
    }
  EXPECT_EQ(std::accumulate(hashes.begin(), hashes.end(), std::uint64_t(0)), 16880986152494900351u);
}

TEST(Aggregates, MembersAscend) {
  for (auto const& [name, graph] : graphs()) {
    SCOPED_TRACE(name);
    auto const aggregates = detail::aggregate(Space(), graph, 40);
    auto const sets = sets_of(aggregates);

    auto const lists = detail::members(Space(), aggregates);

    auto const offsets = to_host(lists.offsets), nodes = to_host(lists.nodes);
    ASSERT_EQ(offsets.size(), sets.size() + 1);
    std::vector<int> expected_nodes, expected_offsets{0};
    int previous = -1;
    for (auto const& set : sets) {
      EXPECT_NE(*set.begin(), previous);
      previous = *set.begin();
      expected_nodes.insert(expected_nodes.end(), set.begin(), set.end());
      expected_offsets.push_back(static_cast<int>(expected_nodes.size()));
    }
    EXPECT_EQ(offsets, expected_offsets);
    EXPECT_EQ(nodes, expected_nodes);
  }
}

TEST(Aggregates, EmptyAndInvalid) {
  Csr<double, int, int, Device> const none;
  auto const aggregates = detail::aggregate(Space(), detail::strength_graph(Space(), none, 0.02), 10);
  EXPECT_EQ(aggregates.count, 0);
  auto const lists = detail::members(Space(), aggregates);
  EXPECT_EQ(to_host(lists.offsets), std::vector<int>{0});
  EXPECT_EQ(lists.nodes.extent(0), 0u);
  auto const graph = graph_of(lattice(5).A);
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { detail::aggregate(Space(), graph, 1); }, {"max_size is 1", "2 or more"}));
}

}  // namespace
}  // namespace einkorn::test
