// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/precond/multigrid/strength_graph.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

/// Copies the entries v of a list with keep(v), in their order.
template <class From, class To, class Keep>
struct CompactList {
  using Ordinal = typename To::non_const_value_type;

  From from;
  To to;
  Keep keep;

  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& count, bool is_final) const {
    Ordinal const v = from(i);
    bool const is_kept = keep(v);
    if (is_final && is_kept) to(count) = v;
    if (is_kept) ++count;
  }
};

/// The list 0, 1, 2, ...
struct AllNodes {
  template <class Ordinal>
  KOKKOS_FUNCTION Ordinal operator()(Ordinal i) const {
    return i;
  }
};

/// The number of kept entries. 1 launch; fences exec.
template <class Exec, class From, class To, class Keep, class Ordinal>
Ordinal compact(Exec const& exec, From const& from, Ordinal size, To const& to, Keep const& keep) {
  Ordinal count = 0;
  if (size == 0) return count;
  range_scan<Ordinal>("einkorn::multigrid[compact]", exec, size, CompactList<From, To, Keep>{from, to, keep},
                      count);
  return count;
}

/// A state of a node and, while it is undecided, its priority (the smallest word wins) in one word: 0: in the
/// set; `out`; otherwise 1 + (hash, id), distinct for all nodes and less than 2^63 + 1.
struct Mis2Words {
  static constexpr std::uint64_t in = 0, out = ~std::uint64_t(0);
  /// Of the words of neighbourhoods: one of the set is a neighbour; the node does not take part.
  static constexpr std::uint64_t covered = out, ignored = out - 1;

  int id_bits;

  explicit Mis2Words(std::uint64_t num_nodes) : id_bits(static_cast<int>(std::bit_width(num_nodes))) {}

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t priority(std::uint64_t id, int iteration) const {
    auto const hash = mix64(id + static_cast<std::uint64_t>(iteration + 1) * 0x9e3779b97f4a7c15u);
    return 1 + (hash >> (id_bits + 1) << id_bits | id);
  }
};

template <class List, class States>
struct StartMis2 {
  List nodes;
  States states;
  Mis2Words words;

  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    states(nodes(i)) = words.priority(static_cast<std::uint64_t>(nodes(i)), 0);
  }
};

/// nearest(v) <- the smallest word of v and its neighbours; `covered` if one is in the set.
template <class Graph, class List, class States>
struct NearestWords {
  using Ordinal = typename Graph::ordinal_type;

  Graph graph;
  List nodes;
  States states, nearest;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    Ordinal const v = nodes(i);
    std::uint64_t smallest = states(v);
    for (auto k = graph.begin(v); k < graph.end(v); ++k) {
      std::uint64_t const word = states(graph.columns(k));
      if (word < smallest) smallest = word;
    }
    nearest(v) = smallest == Mis2Words::in ? Mis2Words::covered : smallest;
  }
};

/// Decides the nodes whose word is the smallest within distance 2, and those with one of the set within that
/// distance; gives the others their word of the next iteration.
template <class Graph, class List, class States>
struct DecideMis2 {
  using Ordinal = typename Graph::ordinal_type;

  Graph graph;
  List nodes;
  States states, nearest;
  Mis2Words words;
  int next_iteration;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    Ordinal const v = nodes(i);
    std::uint64_t const own = states(v);
    bool is_in = nearest(v) == own, is_out = nearest(v) == Mis2Words::covered;
    for (auto k = graph.begin(v); k < graph.end(v) && !is_out; ++k) {
      std::uint64_t const word = nearest(graph.columns(k));
      is_out = word == Mis2Words::covered;
      is_in = is_in && (word == own || word == Mis2Words::ignored);
    }
    states(v) = is_out  ? Mis2Words::out
                : is_in ? Mis2Words::in
                        : words.priority(static_cast<std::uint64_t>(v), next_iteration);
  }
};

template <class States>
struct IsUndecided {
  States states;
  template <class Ordinal>
  KOKKOS_FUNCTION bool operator()(Ordinal v) const {
    return states(v) != Mis2Words::in && states(v) != Mis2Words::out;
  }
};

template <class States>
struct IsUncovered {
  States nearest;
  template <class Ordinal>
  KOKKOS_FUNCTION bool operator()(Ordinal v) const {
    return nearest(v) != Mis2Words::covered;
  }
};

template <class List, class States>
struct ForgetMis2 {
  List nodes;
  States states, nearest;
  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    states(nodes(i)) = Mis2Words::out;
    nearest(nodes(i)) = Mis2Words::ignored;
  }
};

/// Maximal independent sets of distance 2 in subgraphs of one graph: no two nodes of the set are equal to,
/// neighbours of, or share a neighbour with each other, within the subgraph that the active nodes induce, and
/// no further active node can be added. Holds the workspace: 2 words and 4 Ordinals per node.
///
/// Source: Kelley & Rajamanickam, arXiv 2204.02934, algorithm 1; Bell, Dalton & Olson, SIAM J. Sci. Comput. 34,
/// 2012, section 4.2. Departures: words of 64 bits, not 32, so that hashes rarely collide; the priorities of
/// the next iteration are written by the pass that decides; one thread per node; subgraphs.
template <class Ordinal, class Offset, class Device>
class Mis2 {
 public:
  using Graph = StrengthGraph<Ordinal, Offset, Device>;
  using List = Kokkos::View<Ordinal*, Device>;
  using States = Kokkos::View<std::uint64_t*, Device>;

  /// No node is active. Asynchronous.
  template <class Exec>
  Mis2(Exec const& exec, Graph const& graph)
      : graph_(graph), words_(static_cast<std::uint64_t>(graph.num_nodes)) {
    auto const n = static_cast<std::size_t>(graph.num_nodes);
    states_ = allocate<States>(exec, "einkorn::Mis2::states", n);
    nearest_ = allocate<States>(exec, "einkorn::Mis2::nearest", n);
    Kokkos::deep_copy(exec, states_, Mis2Words::out);
    Kokkos::deep_copy(exec, nearest_, Mis2Words::ignored);
    for (auto* const list : {&undecided_, &undecided_next_, &uncovered_, &uncovered_next_})
      *list = allocate<List>(exec, "einkorn::Mis2::list", n);
  }

  /// Computes a set of the subgraph of the first `count` nodes of a list: states()(v) is Mis2Words::in for its
  /// nodes and Mis2Words::out for all others. 4 launches and 2 fences per iteration; about log2(count) / 2
  /// iterations. Deterministic: every pass reads what an earlier one wrote, except for the own word.
  /// @return the number of iterations
  template <class Exec>
  int run(Exec const& exec, List const& active, Ordinal count) {
    for_each_node(exec, "einkorn::mis2[start]", count, StartMis2<List, States>{active, states_, words_});
    int iteration = 0;
    List undecided = active, uncovered = active;
    for (Ordinal num_undecided = count, num_uncovered = count; num_undecided > 0;) {
      for_each_node(exec, "einkorn::mis2[nearest]", num_uncovered,
                    NearestWords<Graph, List, States>{graph_, uncovered, states_, nearest_});
      for_each_node(exec, "einkorn::mis2[decide]", num_undecided,
                    DecideMis2<Graph, List, States>{graph_, undecided, states_, nearest_, words_, ++iteration});
      num_undecided = compact(exec, undecided, num_undecided, undecided_next_, IsUndecided<States>{states_});
      num_uncovered = compact(exec, uncovered, num_uncovered, uncovered_next_, IsUncovered<States>{nearest_});
      std::swap(undecided_, undecided_next_);
      std::swap(uncovered_, uncovered_next_);
      undecided = undecided_;
      uncovered = uncovered_;
    }
    return iteration;
  }

  /// Before the next run(): the nodes of the previous one are no longer active. 1 launch, asynchronous.
  template <class Exec>
  void reset(Exec const& exec, List const& active, Ordinal count) {
    for_each_node(exec, "einkorn::mis2[reset]", count, ForgetMis2<List, States>{active, states_, nearest_});
  }

  [[nodiscard]] States const& states() const { return states_; }

 private:
  Graph graph_;
  Mis2Words words_;
  States states_, nearest_;                                       // [num_nodes]
  List undecided_, undecided_next_, uncovered_, uncovered_next_;  // [num_nodes]
};

}  // namespace einkorn::detail
