// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/graph_replay.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

namespace einkorn::perf {

#ifdef KOKKOS_ENABLE_CUDA

namespace {

constexpr double max_replay_seconds = 4e-3;  // a graph has at least one operation

void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

/// After a failed capture, the event that Kokkos recorded in it for a kernel with arguments in constant memory
/// is invalid for later kernels. Recording it outside of the capture repairs it. Internal to Kokkos [4.6];
/// versions without these events need no repair.
template <class Internal>
void record_outside_capture(cudaStream_t stream) {
  if constexpr (requires { Internal::constantMemReusablePerDevice; })
    for (auto const& [device, event] : Internal::constantMemReusablePerDevice) cudaEventRecord(event, stream);
}

/// Captures `copies` times the work. The capture has ended when the function returns or throws.
cudaGraph_t capture_copies(cudaStream_t stream, std::function<void()> const& work, int copies) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  std::string failure;
  try {
    for (int k = 0; k < copies; ++k) work();
  } catch (std::exception const& error) {
    failure = error.what();
  }
  cudaGraph_t graph{};
  cudaError_t const ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();  // clears the error of a failed capture
  if (failure.empty() && ended == cudaSuccess) return graph;
  if (graph != nullptr) cudaGraphDestroy(graph);
  record_outside_capture<Kokkos::Impl::CudaInternal>(stream);
  if (failure.empty()) failure = cudaGetErrorString(ended);
  throw std::runtime_error("no graph: " + failure.substr(0, failure.find('\n')));
}

}  // namespace

bool GraphReplay::available() {
  return true;
}

GraphReplay::GraphReplay(Exec const& exec, std::function<void()> const& work) : exec_(exec) {
  work();
  exec.fence();
  Kokkos::Timer const timer;
  work();
  exec.fence();
  copies_ = static_cast<int>(std::clamp(max_replay_seconds / timer.seconds(), 1.0, 32.0));
  cudaGraph_t const graph = capture_copies(exec.cuda_stream(), work, copies_);
  cudaGraphExec_t replay{};
  cudaError_t const instantiated = cudaGraphInstantiate(&replay, graph, 0);
  cudaGraphDestroy(graph);
  check(instantiated, "cudaGraphInstantiate");
  graph_.reset(replay, [](void* handle) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(handle)); });
  check(cudaGraphUpload(replay, exec.cuda_stream()), "cudaGraphUpload");
}

void GraphReplay::operator()() const {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph_.get()), exec_.cuda_stream()), "cudaGraphLaunch");
}

#else

bool GraphReplay::available() {
  return false;
}

GraphReplay::GraphReplay(Exec const& exec, std::function<void()> const&) : exec_(exec) {
  throw std::runtime_error("no graph: only CUDA has graphs");
}

void GraphReplay::operator()() const {}

#endif

}  // namespace einkorn::perf
