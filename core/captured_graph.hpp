// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <type_traits>

namespace einkorn {

/// True if launches on the execution space can be captured into a graph: CUDA and HIP.
template <class Exec>
inline constexpr bool can_capture = is_gpu<Exec>;

/// Launches captured into a graph that can be submitted repeatedly. A submission costs the host one call, and
/// the latency between kernels is lower than between launches.
/// @pre The captured work neither fences nor copies, and its kernels are light_weight() (launch.hpp). Views
/// that its functors hold outlive the graph.
template <class Exec>
class CapturedGraph {
 public:
  /// Captures the launches of work() on exec. Runs nothing.
  template <class Work>
  CapturedGraph(Exec const& exec, Work const& work) : graph_(make_graph(exec)) {
    auto const capture = [work](Exec const&) { work(); };
    auto const root = graph_.root_node();
    if constexpr (requires { root.cuda_capture(exec, capture); })
      root.cuda_capture(exec, capture);
    else if constexpr (requires { root.hip_capture(exec, capture); })
      root.hip_capture(exec, capture);
    graph_.instantiate();
  }
  /// Runs the captured launches. Asynchronous on exec.
  void submit(Exec const& exec) { graph_.submit(exec); }

 private:
  using Graph = Kokkos::Experimental::Graph<Exec>;

  /// Kokkos 4 constructs a graph from an instance, Kokkos 5 does not.
  static Graph make_graph([[maybe_unused]] Exec const& exec) {
    if constexpr (std::is_constructible_v<Graph, Exec const&>)
      return Graph(exec);
    else
      return Graph();
  }

  Graph graph_;
};

}  // namespace einkorn
