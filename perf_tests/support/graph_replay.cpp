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

constexpr double longest_replay = 4e-3;  // seconds, but for one operation at least

void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

/// A kernel that went through constant memory leaves Kokkos with an event that was recorded in the capture, and
/// for which no later kernel of that kind may wait. Recorded again, it is an ordinary one. Internal
/// [Kokkos 4.6]: where Kokkos has no such events there is nothing to mend.
template <class Internal>
void record_again(cudaStream_t stream) {
  if constexpr (requires { Internal::constantMemReusablePerDevice; })
    for (auto const& [device, event] : Internal::constantMemReusablePerDevice) cudaEventRecord(event, stream);
}

/// `copies` times the work, on a stream that only records. The stream is an ordinary one again in any case.
cudaGraph_t captured(cudaStream_t stream, std::function<void()> const& work, int copies) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  std::string failure;
  try {
    for (int k = 0; k < copies; ++k) work();
  } catch (std::exception const& error) {
    failure = error.what();
  }
  cudaGraph_t graph{};
  cudaError_t const ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();  // the error of a failed capture is not the next call's
  if (failure.empty() && ended == cudaSuccess) return graph;
  if (graph != nullptr) cudaGraphDestroy(graph);
  record_again<Kokkos::Impl::CudaInternal>(stream);
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
  copies_ = static_cast<int>(std::clamp(longest_replay / timer.seconds(), 1.0, 32.0));
  cudaGraph_t const graph = captured(exec.cuda_stream(), work, copies_);
  cudaGraphExec_t replay{};
  cudaError_t const made = cudaGraphInstantiate(&replay, graph, 0);
  cudaGraphDestroy(graph);
  check(made, "cudaGraphInstantiate");
  graph_.reset(replay, [](void* held) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(held)); });
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
  throw std::runtime_error("no graph: this backend has none");
}

void GraphReplay::operator()() const {}

#endif

}  // namespace einkorn::perf
