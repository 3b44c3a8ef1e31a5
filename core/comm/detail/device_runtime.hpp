// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace einkorn::detail {

/// The functions of CUDA and HIP for ranks: events, streams, and memory that several processes map. Not in Kokkos.
template <class Exec>
struct DeviceRuntime {
  static constexpr bool exists = false;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct DeviceRuntime<Kokkos::Cuda> {
  static constexpr bool exists = true;
  using Event = cudaEvent_t;
  using Stream = cudaStream_t;
  using MemoryHandle = cudaIpcMemHandle_t;

  static void use(Kokkos::Cuda const& exec) { check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice"); }
  /// The address on the bus identifies a device: its number depends on the process.
  static std::array<char, 64> address(Kokkos::Cuda const& exec) {
    std::array<char, 64> text{};
    check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), exec.cuda_device()),
          "cudaDeviceGetPCIBusId");
    return text;
  }

  static Event make_event() {
    Event event{};
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    return event;
  }
  static void destroy_event(Event event) { static_cast<void>(cudaEventDestroy(event)); }
  static void record(Kokkos::Cuda const& exec, Event event) {
    check(cudaEventRecord(event, exec.cuda_stream()), "cudaEventRecord");
  }
  static void wait(Event event) { check(cudaEventSynchronize(event), "cudaEventSynchronize"); }
  /// Later work on `later` runs after the event.
  static void order(Kokkos::Cuda const& later, Event event) {
    check(cudaStreamWaitEvent(later.cuda_stream(), event, 0), "cudaStreamWaitEvent");
  }

  static Stream stream_of(Kokkos::Cuda const& exec) { return exec.cuda_stream(); }
  static Stream make_stream_of_highest_priority() {
    int lowest = 0, highest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
    Stream stream{};
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest), "cudaStreamCreate");
    return stream;
  }
  static void destroy_stream(Stream stream) { static_cast<void>(cudaStreamDestroy(stream)); }

  /// Zeros, which other processes of the node can map. Waits.
  static unsigned char* allocate_shared(std::size_t bytes) {
    void* data = nullptr;
    auto const error = cudaMalloc(&data, bytes);
    require<OutOfMemory>(error != cudaErrorMemoryAllocation || cudaGetLastError() == cudaSuccess,
                         [&] { return "peer memory: " + std::to_string(bytes) + " bytes are not available"; });
    check(error, "cudaMalloc");
    check(cudaMemset(data, 0, bytes), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return static_cast<unsigned char*>(data);
  }
  static void free_shared(unsigned char* data) { static_cast<void>(cudaFree(data)); }
  static MemoryHandle handle_of(unsigned char* data) {
    MemoryHandle handle{};
    check(cudaIpcGetMemHandle(&handle, data), "cudaIpcGetMemHandle");
    return handle;
  }
  static unsigned char* map(MemoryHandle const& handle) {
    void* data = nullptr;
    check(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
    return static_cast<unsigned char*>(data);
  }
  static void unmap(unsigned char* data) { static_cast<void>(cudaIpcCloseMemHandle(data)); }

 private:
  static void check(cudaError_t error, char const* call) {
    if (error == cudaSuccess) [[likely]]
      return;
    static_cast<void>(cudaGetLastError());  // otherwise a later call reports it again
    throw Error(std::string("between ranks: ") + call + ": " + cudaGetErrorString(error));
  }
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct DeviceRuntime<Kokkos::HIP> {
  static constexpr bool exists = true;
  using Event = hipEvent_t;
  using Stream = hipStream_t;
  using MemoryHandle = hipIpcMemHandle_t;

  static void use(Kokkos::HIP const& exec) { check(hipSetDevice(exec.hip_device()), "hipSetDevice"); }
  /// The address on the bus identifies a device: its number depends on the process.
  static std::array<char, 64> address(Kokkos::HIP const& exec) {
    std::array<char, 64> text{};
    check(hipDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), exec.hip_device()),
          "hipDeviceGetPCIBusId");
    return text;
  }

  static Event make_event() {
    Event event{};
    check(hipEventCreateWithFlags(&event, hipEventDisableTiming), "hipEventCreate");
    return event;
  }
  static void destroy_event(Event event) { static_cast<void>(hipEventDestroy(event)); }
  static void record(Kokkos::HIP const& exec, Event event) {
    check(hipEventRecord(event, exec.hip_stream()), "hipEventRecord");
  }
  static void wait(Event event) { check(hipEventSynchronize(event), "hipEventSynchronize"); }
  /// Later work on `later` runs after the event.
  static void order(Kokkos::HIP const& later, Event event) {
    check(hipStreamWaitEvent(later.hip_stream(), event, 0), "hipStreamWaitEvent");
  }

  static Stream stream_of(Kokkos::HIP const& exec) { return exec.hip_stream(); }
  static Stream make_stream_of_highest_priority() {
    int lowest = 0, highest = 0;
    check(hipDeviceGetStreamPriorityRange(&lowest, &highest), "hipDeviceGetStreamPriorityRange");
    Stream stream{};
    check(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, highest), "hipStreamCreate");
    return stream;
  }
  static void destroy_stream(Stream stream) { static_cast<void>(hipStreamDestroy(stream)); }

  /// Zeros, which other processes of the node can map. Waits.
  static unsigned char* allocate_shared(std::size_t bytes) {
    void* data = nullptr;
    // Not cached, so that running kernels see the stores of other devices.
    auto const error = hipExtMallocWithFlags(&data, bytes, hipDeviceMallocUncached);
    require<OutOfMemory>(error != hipErrorOutOfMemory || hipGetLastError() == hipSuccess,
                         [&] { return "peer memory: " + std::to_string(bytes) + " bytes are not available"; });
    check(error, "hipExtMallocWithFlags");
    check(hipMemset(data, 0, bytes), "hipMemset");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return static_cast<unsigned char*>(data);
  }
  static void free_shared(unsigned char* data) { static_cast<void>(hipFree(data)); }
  static MemoryHandle handle_of(unsigned char* data) {
    MemoryHandle handle{};
    check(hipIpcGetMemHandle(&handle, data), "hipIpcGetMemHandle");
    return handle;
  }
  static unsigned char* map(MemoryHandle const& handle) {
    void* data = nullptr;
    check(hipIpcOpenMemHandle(&data, handle, hipIpcMemLazyEnablePeerAccess), "hipIpcOpenMemHandle");
    return static_cast<unsigned char*>(data);
  }
  static void unmap(unsigned char* data) { static_cast<void>(hipIpcCloseMemHandle(data)); }

 private:
  static void check(hipError_t error, char const* call) {
    if (error == hipSuccess) [[likely]]
      return;
    static_cast<void>(hipGetLastError());  // otherwise a later call reports it again
    throw Error(std::string("between ranks: ") + call + ": " + hipGetErrorString(error));
  }
};
#endif

}  // namespace einkorn::detail
