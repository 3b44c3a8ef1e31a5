// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// A possible edge of Circuit between the nodes i and i + distance, and its probability in sixteenths. The
/// first edge always exists. The other distances are Fibonacci numbers, so that no diagonal fills; their
/// probabilities add up to 19/16: 5.4 entries per row with the diagonal, at most 23.
struct CircuitEdge {
  int distance;
  unsigned probability;
};

/// A symmetric pattern: mostly short rows of 3 to 10 entries near the diagonal, and up to eight nets (supply,
/// clock, reset): nodes connected to about every 8th, 16th, ... 1024th node, that is, long rows and long
/// columns. In total 5.9 entries per row. Values are random, not symmetric.
///
/// Models circuit simulation (circuit5M, memchip, Freescale1, rajat31), a bad case for ELL and for kernels with
/// one row per thread: the mean is 6 entries per row, but one row has an eighth of the columns.
class Circuit {
 public:
  Circuit(std::int64_t num_nodes, CounterRng const& edges, CounterRng const& values)
      : num_nodes_(num_nodes), edge_rng_(edges), values_(values) {
    while (num_nets_ < 8 && (num_nets_ + 1) * spacing(num_nets_) <= num_nodes) ++num_nets_;
    if (num_nets_ == 0) return;
    std::int64_t const largest = spacing(num_nets_ - 1);
    net_distance_ = num_nodes / num_nets_ / largest * largest;
    first_net_ = net_distance_ / 2 / largest * largest;
  }

  class Row {
   public:
    KOKKOS_FUNCTION Row(Circuit const& circuit, std::int64_t row)
        : circuit_(circuit), index_(row), net_(circuit.net_at(row)) {
      if (net_ >= 0) {
        length_ = circuit.num_members(net_);
        return;
      }
      ++length_;  // the diagonal
      for (int edge = 0; edge < num_edges; ++edge) {
        bool const left = circuit.has_edge(row - circuit.possible_edges_[edge].distance, edge),
                   right = circuit.has_edge(row, edge);
        edges_left_ |= unsigned(left) << edge;
        edges_right_ |= unsigned(right) << edge;
        length_ += int(left) + int(right);
      }
      for (int net = 0; net < circuit.num_nets_; ++net) {
        if (!circuit.is_member(net, row)) continue;
        nets_ |= 1u << net;
        ++length_;
      }
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return length_; }
    /// Visits the row in the order of columns: edges to the left, the diagonal, edges to the right, merged with
    /// the columns of the nets.
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      if (net_ >= 0) return circuit_.member(net_, k);
      int net = 0;
      for (int step = -num_edges; step <= num_edges; ++step) {
        if (step < 0 && (edges_left_ >> (-step - 1) & 1u) == 0) continue;
        if (step > 0 && (edges_right_ >> (step - 1) & 1u) == 0) continue;
        std::int64_t const near = step < 0   ? index_ - circuit_.possible_edges_[-step - 1].distance
                                  : step > 0 ? index_ + circuit_.possible_edges_[step - 1].distance
                                             : index_;
        for (; net < circuit_.num_nets_ && circuit_.node_of(net) < near; ++net)
          if ((nets_ >> net & 1u) != 0 && k-- == 0) return circuit_.node_of(net);
        if (k-- == 0) return near;
      }
      for (; net < circuit_.num_nets_; ++net)
        if ((nets_ >> net & 1u) != 0 && k-- == 0) break;
      return circuit_.node_of(net);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return circuit_.values_.value(index_, column);
    }

   private:
    Circuit const& circuit_;
    std::int64_t index_, length_ = 0;
    int net_;                                    // the net whose node this is, or -1
    unsigned edges_left_ = 0, edges_right_ = 0;  // bit i: possible edge i exists
    unsigned nets_ = 0;                          // bit i: the node is a member of net i
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_nodes_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_nodes_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  enum : int { num_edges = 11 };

  /// Whether the nodes i and i + distance exist, are not nets, and are connected. Four random bits decide.
  [[nodiscard]] KOKKOS_FUNCTION bool has_edge(std::int64_t node, int index) const {
    CircuitEdge const edge = possible_edges_[index];
    if (node < 0 || node + edge.distance >= num_nodes_) return false;
    if ((edge_rng_.bits(node, 0) >> (4 * index) & 15u) >= edge.probability) return false;
    return net_at(node) < 0 && net_at(node + edge.distance) < 0;
  }

  /// One node of each group of `spacing` nodes is a member of the net, never the first of the group, except for
  /// the node of the net itself. Nodes of nets are multiples of the largest spacing, hence members of no other
  /// net.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t spacing(int net) const { return std::int64_t(8) << net; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t node_of(int net) const { return first_net_ + net * net_distance_; }
  [[nodiscard]] KOKKOS_FUNCTION int net_at(std::int64_t node) const {
    if ((node & 7) != 0) return -1;  // avoids the search for most nodes
    for (int net = 0; net < num_nets_; ++net)
      if (node_of(net) == node) return net;
    return -1;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_members(int net) const {
    return (num_nodes_ - 2) / spacing(net) + 1;  // groups that have a second node
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t member(int net, std::int64_t group) const {
    std::int64_t const begin = group * spacing(net);
    if (node_of(net) == begin) return begin;
    std::int64_t const size = num_nodes_ - begin < spacing(net) ? num_nodes_ - begin : spacing(net);
    return begin + 1 + edge_rng_.below(size - 1, group, net + 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_member(int net, std::int64_t node) const {
    return (node & (spacing(net) - 1)) != 0 && member(net, node >> (net + 3)) == node;
  }

  std::int64_t num_nodes_, first_net_ = 0, net_distance_ = 0;
  int num_nets_ = 0;
  CircuitEdge possible_edges_[num_edges] = {{1, 16}, {2, 5},  {3, 3},   {5, 2},   {8, 2},   {13, 2},
                                            {34, 1}, {89, 1}, {233, 1}, {610, 1}, {1597, 1}};
  CounterRng edge_rng_, values_;
};

/// gen:circuit:N
[[nodiscard]] inline Circuit make_circuit(GeneratorSpec const& spec, bool with_imag) {
  return Circuit(spec.numbers[0], CounterRng(spec.seed, column_stream, false),
                 CounterRng(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
