// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/detail/device_error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace einkorn {

namespace detail {

/// Graphs of an execution space. None on the host.
template <class Exec>
struct GraphRuntime {
  using Graph = void*;
  using Executable = void*;
  static void destroy(void*) {}
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct GraphRuntime<Kokkos::Cuda> {
  using Graph = cudaGraph_t;
  using Executable = cudaGraphExec_t;

  static void begin(Kokkos::Cuda const& exec) {
    require_success(cudaSetDevice(exec.cuda_device()), "captured graph");
    require_success(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal),
                    "captured graph");
  }
  static Graph end(Kokkos::Cuda const& exec) {
    Graph graph = nullptr;
    require_success(cudaStreamEndCapture(exec.cuda_stream(), &graph), "captured graph");
    return graph;
  }
  /// Kernels keep the priority of the stream on which they were captured.
  static Executable instantiate(Graph graph) {
    Executable executable = nullptr;
    require_success(cudaGraphInstantiateWithFlags(&executable, graph, cudaGraphInstantiateFlagUseNodePriority),
                    "captured graph");
    return executable;
  }
  static void launch(Kokkos::Cuda const& exec, Executable executable) {
    require_success(cudaGraphLaunch(executable, exec.cuda_stream()), "captured graph");
  }
  static void destroy(Graph graph) { static_cast<void>(cudaGraphDestroy(graph)); }
  static void destroy(Executable executable) { static_cast<void>(cudaGraphExecDestroy(executable)); }
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct GraphRuntime<Kokkos::HIP> {
  using Graph = hipGraph_t;
  using Executable = hipGraphExec_t;

  static void begin(Kokkos::HIP const& exec) {
    require_success(hipSetDevice(exec.hip_device()), "captured graph");
    require_success(hipStreamBeginCapture(exec.hip_stream(), hipStreamCaptureModeThreadLocal),
                    "captured graph");
  }
  static Graph end(Kokkos::HIP const& exec) {
    Graph graph = nullptr;
    require_success(hipStreamEndCapture(exec.hip_stream(), &graph), "captured graph");
    return graph;
  }
  static Executable instantiate(Graph graph) {
    Executable executable = nullptr;
    require_success(hipGraphInstantiateWithFlags(&executable, graph, hipGraphInstantiateFlagUseNodePriority),
                    "captured graph");
    return executable;
  }
  static void launch(Kokkos::HIP const& exec, Executable executable) {
    require_success(hipGraphLaunch(executable, exec.hip_stream()), "captured graph");
  }
  static void destroy(Graph graph) { static_cast<void>(hipGraphDestroy(graph)); }
  static void destroy(Executable executable) { static_cast<void>(hipGraphExecDestroy(executable)); }
};
#endif

}  // namespace detail

/// True if launches on the execution space can be captured into a graph: CUDA and HIP.
template <class Exec>
inline constexpr bool can_capture = is_gpu<Exec>;

/// Launches captured into a graph that can be submitted repeatedly. A submission costs the host one call, and
/// the latency between kernels is lower than between launches.
/// @pre The captured work neither fences nor copies, and its kernels are light_weight() (launch.hpp). Views
/// that its functors hold outlive the graph.
///
/// Not a Kokkos graph, which has no priorities: a kernel captured on a stream of high priority starts before one of
/// another branch.
template <class Exec>
class CapturedGraph {
  using Runtime = detail::GraphRuntime<Exec>;

 public:
  /// Captures the launches of work() on exec, and on instances that wait for exec and for which exec waits. Runs
  /// nothing.
  template <class Work>
  CapturedGraph(Exec const& exec, Work const& work) {
    Runtime::begin(exec);
    try {
      work();
    } catch (...) {
      try {
        Runtime::destroy(Runtime::end(exec));
      } catch (...) {  // the first exception is thrown
      }
      throw;
    }
    auto const graph = Runtime::end(exec);
    try {
      executable_ = Runtime::instantiate(graph);
    } catch (...) {
      Runtime::destroy(graph);
      throw;
    }
    Runtime::destroy(graph);
  }
  CapturedGraph(CapturedGraph const&) = delete;
  CapturedGraph& operator=(CapturedGraph const&) = delete;
  ~CapturedGraph() {
    if (executable_ != nullptr) Runtime::destroy(executable_);
  }
  /// Runs the captured launches. Asynchronous on exec.
  void submit(Exec const& exec) { Runtime::launch(exec, executable_); }

 private:
  typename Runtime::Executable executable_ = nullptr;
};

}  // namespace einkorn
