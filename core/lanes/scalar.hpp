// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/cache_hint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// One CPU thread: a group of one lane.
struct ScalarLane : NoCacheHint {
  static constexpr int size = 1;
  using Mask = std::uint32_t;

  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_down(T const& value, int, int = size) {
    return value;
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor(T const& value, int, int = size) {
    return value;
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle(T const& value, int, int = size) {
    return value;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Mask ballot(bool condition) { return condition; }
  static KOKKOS_FORCEINLINE_FUNCTION int lowest(Mask) { return 0; }
  static KOKKOS_FORCEINLINE_FUNCTION void sync() {}
  /// As Warp::compare_exchange(), atomic with respect to other threads.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T compare_exchange(T* address, T expected, T desired) {
    return Kokkos::atomic_compare_exchange(address, expected, desired);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void atomic_or(std::uint32_t* address, std::uint32_t bits) {
    Kokkos::atomic_or(address, bits);
  }
  static KOKKOS_FORCEINLINE_FUNCTION int fetch_add(int* address, int value) {
    return Kokkos::atomic_fetch_add(address, value);
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_volatile(T const* address) {
    return Kokkos::atomic_load(address);
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void store_volatile(T* address, T value) {
    Kokkos::atomic_store(address, value);
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load(T const* address) {
    return *address;
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address) {
    return *address;
  }

  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address, CacheHint) {
    return *address;
  }

  /// As Warp::arrive().
  static KOKKOS_FORCEINLINE_FUNCTION unsigned arrive(unsigned* counter) {
    Kokkos::memory_fence();
    return Kokkos::atomic_fetch_add(counter, 1u);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void acquire_fence() { Kokkos::memory_fence(); }
};

}  // namespace einkorn
