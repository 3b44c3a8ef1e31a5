// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// How far a node of Circuit is wired, in sixteenths of a chance for a wire between i and i + reach: always to
/// the next node, sometimes to a few farther ones (Fibonacci numbers, so that diagonals do not fill). The
/// chances beyond the first add up to 19/16: 5.4 entries a row with the diagonal, 23 at most.
struct CircuitWire {
  int reach;
  unsigned chance;
};

/// A symmetric pattern: short rows of 3 to 10 entries mostly, near the diagonal, and up to eight nets (supply,
/// clock, reset): nodes wired to about every 8th, 16th, ... 1024th node, with a row and a column to match.
/// Together 5.9 entries a row. Values are random, not symmetric.
///
/// Stands for circuit simulation (circuit5M, memchip, Freescale1, rajat31), the classical bad case of ELL and
/// of one row a thread: the mean says 6, one row holds an eighth of the matrix's width.
class Circuit {
 public:
  Circuit(std::int64_t num_nodes, Draws const& wires, Draws const& values)
      : num_nodes_(num_nodes), wires_(wires), values_(values) {
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
      for (int wire = 0; wire < num_wires; ++wire) {
        bool const back = circuit.has_wire(row - circuit.wire_[wire].reach, wire),
                   forth = circuit.has_wire(row, wire);
        wired_back_ |= unsigned(back) << wire;
        wired_forth_ |= unsigned(forth) << wire;
        length_ += int(back) + int(forth);
      }
      for (int net = 0; net < circuit.num_nets_; ++net) {
        if (!circuit.is_member(net, row)) continue;
        joined_ |= 1u << net;
        ++length_;
      }
    }
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t length() const { return length_; }
    /// Goes through the row in order: wires back from the farthest, the diagonal, wires forth, and each net
    /// where its number comes.
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t column(std::int64_t k) const {
      if (net_ >= 0) return circuit_.member(net_, k);
      int net = 0;
      for (int step = -num_wires; step <= num_wires; ++step) {
        if (step < 0 && (wired_back_ >> (-step - 1) & 1u) == 0) continue;
        if (step > 0 && (wired_forth_ >> (step - 1) & 1u) == 0) continue;
        std::int64_t const near = step < 0   ? index_ - circuit_.wire_[-step - 1].reach
                                  : step > 0 ? index_ + circuit_.wire_[step - 1].reach
                                             : index_;
        for (; net < circuit_.num_nets_ && circuit_.node_of(net) < near; ++net)
          if ((joined_ >> net & 1u) != 0 && k-- == 0) return circuit_.node_of(net);
        if (k-- == 0) return near;
      }
      for (; net < circuit_.num_nets_; ++net)
        if ((joined_ >> net & 1u) != 0 && k-- == 0) break;
      return circuit_.node_of(net);
    }
    [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t column) const {
      return circuit_.values_.value(index_, column);
    }

   private:
    Circuit const& circuit_;
    std::int64_t index_, length_ = 0;
    int net_;  // the net whose node this is, or -1
    unsigned wired_back_ = 0, wired_forth_ = 0, joined_ = 0;
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_rows() const { return num_nodes_; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t num_cols() const { return num_nodes_; }
  [[nodiscard]] KOKKOS_FUNCTION Row row(std::int64_t index) const { return Row(*this, index); }

 private:
  enum : int { num_wires = 11 };

  /// True when node i and node i + reach exist, are no nets, and are wired: four bits of one word decide.
  [[nodiscard]] KOKKOS_FUNCTION bool has_wire(std::int64_t node, int wire) const {
    CircuitWire const kind = wire_[wire];
    if (node < 0 || node + kind.reach >= num_nodes_) return false;
    if ((wires_.word(node, 0) >> (4 * wire) & 15u) >= kind.chance) return false;
    return net_at(node) < 0 && net_at(node + kind.reach) < 0;
  }

  /// One in `spacing` nodes belongs to the net: one of each group of that many, never the first, but for the
  /// net's own node. Nodes of nets are multiples of the largest spacing, and so members of no other net.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t spacing(int net) const { return std::int64_t(8) << net; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t node_of(int net) const { return first_net_ + net * net_distance_; }
  [[nodiscard]] KOKKOS_FUNCTION int net_at(std::int64_t node) const {
    if ((node & 7) != 0) return -1;  // spares the search to most nodes
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
    std::int64_t const room = num_nodes_ - begin < spacing(net) ? num_nodes_ - begin : spacing(net);
    return begin + 1 + wires_.below(room - 1, group, net + 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_member(int net, std::int64_t node) const {
    return (node & (spacing(net) - 1)) != 0 && member(net, node >> (net + 3)) == node;
  }

  std::int64_t num_nodes_, first_net_ = 0, net_distance_ = 0;
  int num_nets_ = 0;
  CircuitWire wire_[num_wires] = {{1, 16}, {2, 5},  {3, 3},   {5, 2},   {8, 2},   {13, 2},
                                  {34, 1}, {89, 1}, {233, 1}, {610, 1}, {1597, 1}};
  Draws wires_, values_;
};

/// gen:circuit:N
[[nodiscard]] inline Circuit make_circuit(GeneratorSpec const& spec, bool with_imag) {
  return Circuit(spec.numbers[0], Draws(spec.seed, column_stream, false),
                 Draws(spec.seed, value_stream, with_imag));
}

}  // namespace einkorn
