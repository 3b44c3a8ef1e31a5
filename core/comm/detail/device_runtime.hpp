// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/device_error.hpp>
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

  static void use(Kokkos::Cuda const& exec) {
    require_success(cudaSetDevice(exec.cuda_device()), "between ranks: cudaSetDevice");
  }
  /// The address on the bus identifies a device: its number depends on the process.
  static std::array<char, 64> address(Kokkos::Cuda const& exec) {
    std::array<char, 64> text{};
    require_success(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), exec.cuda_device()),
                    "between ranks: cudaDeviceGetPCIBusId");
    return text;
  }

  static Event make_event() {
    Event event{};
    require_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "between ranks: cudaEventCreate");
    return event;
  }
  static void destroy_event(Event event) { static_cast<void>(cudaEventDestroy(event)); }
  static void record(Kokkos::Cuda const& exec, Event event) {
    require_success(cudaEventRecord(event, exec.cuda_stream()), "between ranks: cudaEventRecord");
  }
  static void wait(Event event) {
    require_success(cudaEventSynchronize(event), "between ranks: cudaEventSynchronize");
  }
  /// Later work on `later` runs after the event.
  static void order(Kokkos::Cuda const& later, Event event) {
    require_success(cudaStreamWaitEvent(later.cuda_stream(), event, 0), "between ranks: cudaStreamWaitEvent");
  }

  static Stream stream_of(Kokkos::Cuda const& exec) { return exec.cuda_stream(); }
  static Stream make_stream_of_highest_priority() {
    int lowest = 0, highest = 0;
    require_success(cudaDeviceGetStreamPriorityRange(&lowest, &highest),
                    "between ranks: cudaDeviceGetStreamPriorityRange");
    Stream stream{};
    require_success(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest),
                    "between ranks: cudaStreamCreate");
    return stream;
  }
  static void destroy_stream(Stream stream) { static_cast<void>(cudaStreamDestroy(stream)); }

  /// Zeros, which other processes of the node can map. Waits.
  static unsigned char* allocate_shared(std::size_t bytes) {
    void* data = nullptr;
    auto const error = cudaMalloc(&data, bytes);
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // otherwise a later call reports it again
      throw OutOfMemory("peer memory: " + std::to_string(bytes) + " bytes are not available");
    }
    require_success(error, "between ranks: cudaMalloc");
    require_success(cudaMemset(data, 0, bytes), "between ranks: cudaMemset");
    require_success(cudaDeviceSynchronize(), "between ranks: cudaDeviceSynchronize");
    return static_cast<unsigned char*>(data);
  }
  static void free_shared(unsigned char* data) { static_cast<void>(cudaFree(data)); }
  static MemoryHandle handle_of(unsigned char* data) {
    MemoryHandle handle{};
    require_success(cudaIpcGetMemHandle(&handle, data), "between ranks: cudaIpcGetMemHandle");
    return handle;
  }
  static unsigned char* map(MemoryHandle const& handle) {
    void* data = nullptr;
    require_success(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess),
                    "between ranks: cudaIpcOpenMemHandle");
    return static_cast<unsigned char*>(data);
  }
  static void unmap(unsigned char* data) { static_cast<void>(cudaIpcCloseMemHandle(data)); }
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct DeviceRuntime<Kokkos::HIP> {
  static constexpr bool exists = true;
  using Event = hipEvent_t;
  using Stream = hipStream_t;
  using MemoryHandle = hipIpcMemHandle_t;

  static void use(Kokkos::HIP const& exec) {
    require_success(hipSetDevice(exec.hip_device()), "between ranks: hipSetDevice");
  }
  /// The address on the bus identifies a device: its number depends on the process.
  static std::array<char, 64> address(Kokkos::HIP const& exec) {
    std::array<char, 64> text{};
    require_success(hipDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), exec.hip_device()),
                    "between ranks: hipDeviceGetPCIBusId");
    return text;
  }

  static Event make_event() {
    Event event{};
    require_success(hipEventCreateWithFlags(&event, hipEventDisableTiming), "between ranks: hipEventCreate");
    return event;
  }
  static void destroy_event(Event event) { static_cast<void>(hipEventDestroy(event)); }
  static void record(Kokkos::HIP const& exec, Event event) {
    require_success(hipEventRecord(event, exec.hip_stream()), "between ranks: hipEventRecord");
  }
  static void wait(Event event) {
    require_success(hipEventSynchronize(event), "between ranks: hipEventSynchronize");
  }
  /// Later work on `later` runs after the event.
  static void order(Kokkos::HIP const& later, Event event) {
    require_success(hipStreamWaitEvent(later.hip_stream(), event, 0), "between ranks: hipStreamWaitEvent");
  }

  static Stream stream_of(Kokkos::HIP const& exec) { return exec.hip_stream(); }
  static Stream make_stream_of_highest_priority() {
    int lowest = 0, highest = 0;
    require_success(hipDeviceGetStreamPriorityRange(&lowest, &highest),
                    "between ranks: hipDeviceGetStreamPriorityRange");
    Stream stream{};
    require_success(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, highest),
                    "between ranks: hipStreamCreate");
    return stream;
  }
  static void destroy_stream(Stream stream) { static_cast<void>(hipStreamDestroy(stream)); }

  /// Zeros, which other processes of the node can map. Waits.
  static unsigned char* allocate_shared(std::size_t bytes) {
    void* data = nullptr;
    // Not cached, so that running kernels see the stores of other devices.
    auto const error = hipExtMallocWithFlags(&data, bytes, hipDeviceMallocUncached);
    if (error == hipErrorOutOfMemory) {
      static_cast<void>(hipGetLastError());  // otherwise a later call reports it again
      throw OutOfMemory("peer memory: " + std::to_string(bytes) + " bytes are not available");
    }
    require_success(error, "between ranks: hipExtMallocWithFlags");
    require_success(hipMemset(data, 0, bytes), "between ranks: hipMemset");
    require_success(hipDeviceSynchronize(), "between ranks: hipDeviceSynchronize");
    return static_cast<unsigned char*>(data);
  }
  static void free_shared(unsigned char* data) { static_cast<void>(hipFree(data)); }
  static MemoryHandle handle_of(unsigned char* data) {
    MemoryHandle handle{};
    require_success(hipIpcGetMemHandle(&handle, data), "between ranks: hipIpcGetMemHandle");
    return handle;
  }
  static unsigned char* map(MemoryHandle const& handle) {
    void* data = nullptr;
    require_success(hipIpcOpenMemHandle(&data, handle, hipIpcMemLazyEnablePeerAccess),
                    "between ranks: hipIpcOpenMemHandle");
    return static_cast<unsigned char*>(data);
  }
  static void unmap(unsigned char* data) { static_cast<void>(hipIpcCloseMemHandle(data)); }
};
#endif

}  // namespace einkorn::detail
