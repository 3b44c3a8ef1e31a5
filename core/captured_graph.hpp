// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <type_traits>

namespace einkorn {

/// Whether launches on this execution space can be recorded and submitted as one graph: CUDA and HIP.
template <class Exec>
inline constexpr bool can_capture = is_gpu<Exec>;

/// Launches, recorded once and submitted again and again: kernels of a graph follow each other sooner than
/// launches do, and cost the host one call. What is recorded may neither fence nor copy, and its kernels are
/// light_weight() (launch.hpp). Functors are recorded as they are: Views that they hold must live on.
template <class Exec>
class CapturedGraph {
 public:
  /// Records what work() launches on exec. Nothing runs.
  template <class Work>
  CapturedGraph(Exec const& exec, Work const& work) : graph_(make_graph(exec)) {
    auto const record = [work](Exec const&) { work(); };
    auto const root = graph_.root_node();
    if constexpr (requires { root.cuda_capture(exec, record); })
      root.cuda_capture(exec, record);
    else if constexpr (requires { root.hip_capture(exec, record); })
      root.hip_capture(exec, record);
    graph_.instantiate();
  }
  /// Asynchronous on exec.
  void submit(Exec const& exec) { graph_.submit(exec); }

 private:
  using Graph = Kokkos::Experimental::Graph<Exec>;

  /// Kokkos 4 makes a graph for an instance, Kokkos 5 for a device.
  static Graph make_graph([[maybe_unused]] Exec const& exec) {
    if constexpr (std::is_constructible_v<Graph, Exec const&>)
      return Graph(exec);
    else
      return Graph();
  }

  Graph graph_;
};

}  // namespace einkorn
