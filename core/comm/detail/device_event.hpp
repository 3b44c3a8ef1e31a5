// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace einkorn::detail {

/// The events of an execution space.
template <class Exec>
struct EventRuntime {
  static constexpr bool exists = false;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct EventRuntime<Kokkos::Cuda> {
  static constexpr bool exists = true;
  using Event = cudaEvent_t;
  static void create(Kokkos::Cuda const& exec, Event& event) {
    check(cudaSetDevice(exec.cuda_device()));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  static void destroy(Event event) { static_cast<void>(cudaEventDestroy(event)); }
  static void record(Kokkos::Cuda const& exec, Event event) {
    check(cudaEventRecord(event, exec.cuda_stream()));
  }
  static void wait(Event event) { check(cudaEventSynchronize(event)); }
  static void check(cudaError_t error) {
    require<Error>(error == cudaSuccess,
                   [&] { return std::string("event between ranks: ") + cudaGetErrorString(error); });
  }
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct EventRuntime<Kokkos::HIP> {
  static constexpr bool exists = true;
  using Event = hipEvent_t;
  static void create(Kokkos::HIP const& exec, Event& event) {
    check(hipSetDevice(exec.hip_device()));
    check(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  }
  static void destroy(Event event) { static_cast<void>(hipEventDestroy(event)); }
  static void record(Kokkos::HIP const& exec, Event event) { check(hipEventRecord(event, exec.hip_stream())); }
  static void wait(Event event) { check(hipEventSynchronize(event)); }
  static void check(hipError_t error) {
    require<Error>(error == hipSuccess,
                   [&] { return std::string("event between ranks: ") + hipGetErrorString(error); });
  }
};
#endif

/// A point in the work on an execution space instance for which the host waits, while later work runs.
template <class Exec, bool exists = EventRuntime<Exec>::exists>
class DeviceEvent {
 public:
  explicit DeviceEvent(Exec const& exec) { EventRuntime<Exec>::create(exec, event_); }
  DeviceEvent(DeviceEvent const&) = delete;
  DeviceEvent& operator=(DeviceEvent const&) = delete;
  ~DeviceEvent() { EventRuntime<Exec>::destroy(event_); }

  /// After the work on exec so far.
  void record(Exec const& exec) { EventRuntime<Exec>::record(exec, event_); }
  /// Waits for the work before the last record().
  void wait() { EventRuntime<Exec>::wait(event_); }

 private:
  typename EventRuntime<Exec>::Event event_{};
};

/// Without events: record() waits.
template <class Exec>
class DeviceEvent<Exec, false> {
 public:
  explicit DeviceEvent(Exec const&) {}
  void record(Exec const& exec) { exec.fence("einkorn: work before messages"); }
  void wait() {}
};

}  // namespace einkorn::detail
