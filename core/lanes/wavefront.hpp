// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/cache_hint.hpp>
#include <einkorn/core/lanes/words.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

#ifdef KOKKOS_ENABLE_HIP

/// The 64 lanes of an AMD wavefront (gfx9). Shuffles, ballot() and sync() are collective over the wavefront.
struct Wavefront : NoCacheHint {
  static constexpr int size = 64;
  using Mask = std::uint64_t;

  /// The value of lane + distance within groups of `width` lanes; the own value past the end of the group.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_down([[maybe_unused]] T const& value,
                                                    [[maybe_unused]] int distance,
                                                    [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE((return by_words(value, [=](std::uint32_t w) {
                                  return static_cast<std::uint32_t>(
                                      __shfl_down(static_cast<int>(w), static_cast<unsigned>(distance), width));
                                });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The value of lane XOR bits.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor([[maybe_unused]] T const& value, [[maybe_unused]] int bits,
                                                   [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE((return by_words(value, [=](std::uint32_t w) {
                                  return static_cast<std::uint32_t>(
                                      __shfl_xor(static_cast<int>(w), bits, width));
                                });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The value of lane `lane` of the group.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle([[maybe_unused]] T const& value, [[maybe_unused]] int lane,
                                               [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE((return by_words(value, [=](std::uint32_t w) {
                                  return static_cast<std::uint32_t>(__shfl(static_cast<int>(w), lane, width));
                                });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// Bit i is set if the condition holds in lane i.
  static KOKKOS_FORCEINLINE_FUNCTION Mask ballot([[maybe_unused]] bool condition) {
    KOKKOS_IF_ON_DEVICE((return __ballot(condition);))
    KOKKOS_IF_ON_HOST((return condition;))
  }
  /// The index of the lowest set bit. @pre mask != 0
  static KOKKOS_FORCEINLINE_FUNCTION int lowest([[maybe_unused]] Mask mask) {
    KOKKOS_IF_ON_DEVICE((return __ffsll(static_cast<unsigned long long>(mask)) - 1;))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  /// Barrier of the lanes; earlier writes, also to scratch, are visible to all lanes afterwards.
  static KOKKOS_FORCEINLINE_FUNCTION void sync() {
    KOKKOS_IF_ON_DEVICE(
        (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); __builtin_amdgcn_wave_barrier();))
  }

  /// As Warp::compare_exchange().
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T compare_exchange(T* address, [[maybe_unused]] T expected,
                                                        [[maybe_unused]] T desired) {
    using Word [[maybe_unused]] = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
    KOKKOS_IF_ON_DEVICE((return static_cast<T>(atomicCAS(
        reinterpret_cast<Word*>(address), static_cast<Word>(expected), static_cast<Word>(desired)));))
    KOKKOS_IF_ON_HOST((return *address;))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void atomic_or([[maybe_unused]] std::uint32_t* address,
                                                    [[maybe_unused]] std::uint32_t bits) {
    KOKKOS_IF_ON_DEVICE((atomicOr(address, bits);))
  }
  /// Adds atomically; returns the value before.
  static KOKKOS_FORCEINLINE_FUNCTION int fetch_add(int* address, [[maybe_unused]] int value) {
    KOKKOS_IF_ON_DEVICE((return atomicAdd(address, value);))
    KOKKOS_IF_ON_HOST((return *address;))
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_volatile(T const* address) {
    return *static_cast<T const volatile*>(address);
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void store_volatile(T* address, T value) {
    *static_cast<T volatile*>(address) = value;
  }

  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load(T const* address) {
    return *address;
  }

  /// Loads data that is used once, with a hint to the caches to evict it first.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address) {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) {
      using Wide [[maybe_unused]] = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      using Word [[maybe_unused]] = std::conditional_t<sizeof(T) == 2, std::uint16_t, Wide>;
      KOKKOS_IF_ON_DEVICE((Word word = __builtin_nontemporal_load(reinterpret_cast<Word const*>(address));
                           T value; memcpy(static_cast<void*>(&value), &word, sizeof(T)); return value;))
    }
    return *address;
  }

  /// Evict-first for matrices of all sizes, not measured.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address, CacheHint) {
    return load_streaming(address);
  }

  /// As Warp::arrive().
  static KOKKOS_FORCEINLINE_FUNCTION unsigned arrive(unsigned* counter) {
    Kokkos::memory_fence();
    return Kokkos::atomic_fetch_add(counter, 1u);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void acquire_fence() { Kokkos::memory_fence(); }

  /// As Warp::sync_block(), Warp::store_release(), store_relaxed(), load_relaxed(), store_system(), load_system() and acquire().
  static KOKKOS_FORCEINLINE_FUNCTION void sync_block() { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  static KOKKOS_FORCEINLINE_FUNCTION void store_release([[maybe_unused]] std::uint64_t* words,
                                                        [[maybe_unused]] std::uint64_t first,
                                                        [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
                         __hip_atomic_store(words, first, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
                         __hip_atomic_store(words + 1, second, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void load_relaxed([[maybe_unused]] std::uint64_t const* words,
                                                       [[maybe_unused]] std::uint64_t& first,
                                                       [[maybe_unused]] std::uint64_t& second) {
    KOKKOS_IF_ON_DEVICE((first = __hip_atomic_load(words, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
                         second = __hip_atomic_load(words + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void store_relaxed([[maybe_unused]] std::uint64_t* words,
                                                        [[maybe_unused]] std::uint64_t first,
                                                        [[maybe_unused]] std::uint64_t second) {
    store_relaxed(words, first);
    store_relaxed(words + 1, second);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void store_relaxed([[maybe_unused]] std::uint64_t* word,
                                                        [[maybe_unused]] std::uint64_t value) {
    KOKKOS_IF_ON_DEVICE((__hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void load_relaxed([[maybe_unused]] std::uint64_t const* word,
                                                       [[maybe_unused]] std::uint64_t& value) {
    KOKKOS_IF_ON_DEVICE((value = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void store_system([[maybe_unused]] std::uint64_t* words,
                                                       [[maybe_unused]] std::uint64_t first,
                                                       [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((__hip_atomic_store(words, first, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
                         __hip_atomic_store(words + 1, second, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void load_system([[maybe_unused]] std::uint64_t const* words,
                                                      [[maybe_unused]] std::uint64_t& first,
                                                      [[maybe_unused]] std::uint64_t& second) {
    KOKKOS_IF_ON_DEVICE((first = __hip_atomic_load(words, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
                         second = __hip_atomic_load(words + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void acquire() {
    KOKKOS_IF_ON_DEVICE((__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");))
  }
};

#endif

}  // namespace einkorn
