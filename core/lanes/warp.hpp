// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/words.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

#ifdef KOKKOS_ENABLE_CUDA

/// The 32 lanes of an NVIDIA warp. Shuffles, ballot() and sync() are collective over the warp.
struct Warp {
  static constexpr int size = 32;
  using Mask = std::uint32_t;

  /// The value of lane + distance within groups of `width` lanes; the own value past the end of the group.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_down([[maybe_unused]] T const& value,
                                                    [[maybe_unused]] int distance,
                                                    [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_down_sync(all, w, distance, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The value of lane XOR bits.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor([[maybe_unused]] T const& value, [[maybe_unused]] int bits,
                                                   [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_xor_sync(all, w, bits, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// The value of lane `lane` of the group.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle([[maybe_unused]] T const& value, [[maybe_unused]] int lane,
                                               [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_sync(all, w, lane, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// Bit i is set if the condition holds in lane i.
  static KOKKOS_FORCEINLINE_FUNCTION Mask ballot([[maybe_unused]] bool condition) {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(all, condition);))
    KOKKOS_IF_ON_HOST((return condition;))
  }
  /// The index of the lowest set bit. @pre mask != 0
  static KOKKOS_FORCEINLINE_FUNCTION int lowest([[maybe_unused]] Mask mask) {
    KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(mask)) - 1;))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  /// Barrier of the lanes; earlier writes, also to scratch, are visible to all lanes afterwards.
  static KOKKOS_FORCEINLINE_FUNCTION void sync() { KOKKOS_IF_ON_DEVICE((__syncwarp(all);)) }

  /// Atomic compare-and-exchange; returns the old value. For team scratch, which Kokkos' atomics access by
  /// generic addresses, more slowly.
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
  /// Loads a value that other threads may write concurrently. (Kokkos::atomic_load() is a compare-and-swap.)
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_volatile(T const* address) {
    return *static_cast<T const volatile*>(address);
  }
  /// Stores a value that other threads may read or write concurrently.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void store_volatile(T* address, T value) {
    *static_cast<T volatile*>(address) = value;
  }

  /// Loads through the read-only cache. @pre The kernel does not write the value.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load(T const* address) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      using Word [[maybe_unused]] = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
      KOKKOS_IF_ON_DEVICE((Word word = __ldg(reinterpret_cast<Word const*>(address)); T value;
                           memcpy(static_cast<void*>(&value), &word, sizeof(T)); return value;))
    }
    return *address;
  }

  /// Loads data that is used once, with a hint to the caches to evict it first (Hopper: in L1 and L2).
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address) {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) {
      using Wide [[maybe_unused]] = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
      using Word [[maybe_unused]] = std::conditional_t<sizeof(T) == 2, unsigned short, Wide>;
      KOKKOS_IF_ON_DEVICE((Word word = __ldcs(reinterpret_cast<Word const*>(address)); T value;
                           memcpy(static_cast<void*>(&value), &word, sizeof(T)); return value;))
    }
    return *address;
  }

  /// The eviction policy of the second-level cache for data that a kernel reads once. With evict-first, x and y stay
  /// in the cache while a large matrix is read. But evict-first lines replace each other once the cache is full of
  /// other data, and a matrix that the cache could hold is then read from memory in every product.
#ifdef KOKKOS_ARCH_HOPPER90
  struct CacheHint {
    std::uint64_t policy;  // CUTLASS' CacheHintSm90: as a kernel argument it takes no registers of the threads
    static constexpr std::uint64_t normal = 0x1000000000000000u, evict_first = 0x12f0000000000000u;
  };
  static constexpr bool hint_keeps_l1 = true;  ///< lines stay in L1 as with load()
#else
  struct CacheHint {};
  static constexpr bool hint_keeps_l1 = false;
#endif
  /// The hint for a product that reads and writes `bytes` bytes. H200 (60 MB): 39 MB are 1.5 times as fast with
  /// `normal`, 44 MB 8 % slower, 324 MB up to 14 %.
  template <class Exec>
  static CacheHint cache_hint([[maybe_unused]] Exec const& exec, [[maybe_unused]] std::size_t bytes) {
#ifdef KOKKOS_ARCH_HOPPER90
    auto const cache = static_cast<std::size_t>(exec.cuda_device_prop().l2CacheSize);
    return {bytes <= cache / 3 * 2 ? CacheHint::normal : CacheHint::evict_first};
#else
    return {};
#endif
  }
  /// Loads data that is used once through the read-only cache. @pre The kernel does not write the value.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_streaming(T const* address, [[maybe_unused]] CacheHint hint) {
#ifdef KOKKOS_ARCH_HOPPER90
    if constexpr (sizeof(T) == 2) {
      KOKKOS_IF_ON_DEVICE(
          (unsigned short word;
           asm("ld.global.nc.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(word) : "l"(address), "l"(hint.policy));
           return from_bytes<T>(word);))
    } else if constexpr (sizeof(T) == 4) {
      KOKKOS_IF_ON_DEVICE(
          (unsigned word;
           asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(word) : "l"(address), "l"(hint.policy));
           return from_bytes<T>(word);))
    } else if constexpr (sizeof(T) == 8) {
      KOKKOS_IF_ON_DEVICE(
          (std::uint64_t word;
           asm("ld.global.nc.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(word) : "l"(address), "l"(hint.policy));
           return from_bytes<T>(word);))
    } else if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
      KOKKOS_IF_ON_DEVICE((TwoWords words;
                           asm("ld.global.nc.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;" : "=l"(words.first),
                               "=l"(words.second) : "l"(address), "l"(hint.policy));
                           return from_bytes<T>(words);))
    }
    return *address;
#else
    return load_streaming(address);
#endif
  }

  /// Increments a counter with release order and returns its old value. Earlier writes of this thread, and
  /// those of its team before the last barrier, are visible to a thread that reads the incremented value and
  /// calls acquire_fence(). (Unlike __threadfence(), a release does not invalidate L1.)
  static KOKKOS_FORCEINLINE_FUNCTION unsigned arrive([[maybe_unused]] unsigned* counter) {
    KOKKOS_IF_ON_DEVICE((unsigned before; asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(
        before) : "l"(counter) : "memory");
                         return before;))
    KOKKOS_IF_ON_HOST((return (*counter)++;))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void acquire_fence() { Kokkos::memory_fence(); }

  /// Barrier of the block; earlier writes of its threads are visible to all of them afterwards.
  static KOKKOS_FORCEINLINE_FUNCTION void sync_block() { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  /// Stores two words with release order, each atomically, unordered with respect to each other. A thread that
  /// reads one of them by load_relaxed() and calls acquire() sees earlier writes of this thread and those of
  /// its block before the last sync_block().
  static KOKKOS_FORCEINLINE_FUNCTION void store_release([[maybe_unused]] std::uint64_t* words,
                                                        [[maybe_unused]] std::uint64_t first,
                                                        [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("st.release.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first),
                                      "l"(second) : "memory");))
  }
  /// The same with relaxed order, for words that need no other data.
  static KOKKOS_FORCEINLINE_FUNCTION void store_relaxed([[maybe_unused]] std::uint64_t* words,
                                                        [[maybe_unused]] std::uint64_t first,
                                                        [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first),
                                      "l"(second) : "memory");))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void store_relaxed([[maybe_unused]] std::uint64_t* word,
                                                        [[maybe_unused]] std::uint64_t value) {
    KOKKOS_IF_ON_DEVICE(
        (asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");))
  }
  /// Loads two words (or one) from L2, each atomically, with relaxed order.
  static KOKKOS_FORCEINLINE_FUNCTION void load_relaxed([[maybe_unused]] std::uint64_t const* words,
                                                       [[maybe_unused]] std::uint64_t& first,
                                                       [[maybe_unused]] std::uint64_t& second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first),
                                      "=l"(second) : "l"(words) : "memory");))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void load_relaxed([[maybe_unused]] std::uint64_t const* word,
                                                       [[maybe_unused]] std::uint64_t& value) {
    KOKKOS_IF_ON_DEVICE(
        (asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");))
  }
  /// As store_relaxed() and load_relaxed() of two words, also between devices.
  static KOKKOS_FORCEINLINE_FUNCTION void store_system([[maybe_unused]] std::uint64_t* words,
                                                       [[maybe_unused]] std::uint64_t first,
                                                       [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first),
                                      "l"(second) : "memory");))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void load_system([[maybe_unused]] std::uint64_t const* words,
                                                      [[maybe_unused]] std::uint64_t& first,
                                                      [[maybe_unused]] std::uint64_t& second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(first),
                                      "=l"(second) : "l"(words) : "memory");))
  }
  /// Acquire fence after a load_relaxed() that read a value of store_release(): writes before that release are
  /// visible to this thread, and to its block after the next sync_block(). Invalidates L1 of the
  /// multiprocessor.
  static KOKKOS_FORCEINLINE_FUNCTION void acquire() {
    KOKKOS_IF_ON_DEVICE((asm volatile("fence.acq_rel.gpu;" :: : "memory");))
  }

 private:
  static constexpr Mask all = 0xffffffffu;
  struct TwoWords {
    std::uint64_t first, second;
  };
  template <class T, class Word>
  static KOKKOS_FORCEINLINE_FUNCTION T from_bytes(Word const& word) {
    T value;
    memcpy(static_cast<void*>(&value), &word, sizeof(T));
    return value;
  }
};

#endif

}  // namespace einkorn
