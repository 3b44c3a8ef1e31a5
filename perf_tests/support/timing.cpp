// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/timing.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace einkorn::perf {

#ifdef KOKKOS_ENABLE_CUDA

namespace {

void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(Event const&) = delete;
  Event& operator=(Event const&) = delete;
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  [[nodiscard]] double seconds_since(Event const& start) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_{};
};

}  // namespace

double seconds_of(Exec const& exec, std::function<void()> const& before, std::function<void()> const& work) {
  Event const start, stop;
  before();
  start.record(exec.cuda_stream());
  work();
  stop.record(exec.cuda_stream());
  return stop.seconds_since(start);
}

void keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "cudaMemPoolSetAttribute");
}

#else

void keep_freed_memory() {}

double seconds_of(Exec const& exec, std::function<void()> const& before, std::function<void()> const& work) {
  before();
  return wall_seconds_of(exec, work);
}

#endif

double wall_seconds_of(Exec const& exec, std::function<void()> const& work) {
  exec.fence();
  Kokkos::Timer const timer;
  work();
  exec.fence();
  return timer.seconds();
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0.0;
  std::sort(samples.begin(), samples.end());
  auto const middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : 0.5 * (samples[middle - 1] + samples[middle]);
}

std::optional<double> spread(std::vector<double> samples) {
  if (samples.size() < 3) return {};
  std::sort(samples.begin(), samples.end());
  auto const quartile = [&](double fraction) {
    double const position = fraction * static_cast<double>(samples.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    double const part = position - static_cast<double>(below);
    return samples[below] + part * (samples[below + 1] - samples[below]);
  };
  return (quartile(0.75) - quartile(0.25)) / median(samples);
}

}  // namespace einkorn::perf
