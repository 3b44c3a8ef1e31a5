// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/words.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace einkorn {

#ifdef KOKKOS_ENABLE_CUDA

/// The 32 lanes of an NVIDIA warp. Every function must be called by all lanes of the warp together.
struct Warp {
  static constexpr int size = 32;
  using Mask = std::uint32_t;

  /// value of the lane `distance` further on, within groups of `width` lanes; own value past the end.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_down([[maybe_unused]] T const& value,
                                                    [[maybe_unused]] int distance,
                                                    [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_down_sync(all, w, distance, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// value of the lane whose number differs in the bits of `bits`.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor([[maybe_unused]] T const& value, [[maybe_unused]] int bits,
                                                   [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_xor_sync(all, w, bits, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// value of lane `lane`.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T shuffle([[maybe_unused]] T const& value, [[maybe_unused]] int lane,
                                               [[maybe_unused]] int width = size) {
    KOKKOS_IF_ON_DEVICE(
        (return by_words(value, [=](std::uint32_t w) { return __shfl_sync(all, w, lane, width); });))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// Bit i says whether the condition holds in lane i.
  static KOKKOS_FORCEINLINE_FUNCTION Mask ballot([[maybe_unused]] bool condition) {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(all, condition);))
    KOKKOS_IF_ON_HOST((return condition;))
  }
  /// Number of the lowest set bit; mask must not be 0.
  static KOKKOS_FORCEINLINE_FUNCTION int lowest([[maybe_unused]] Mask mask) {
    KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(mask)) - 1;))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  /// The lanes meet; what one of them wrote before, to scratch too, all of them see after.
  static KOKKOS_FORCEINLINE_FUNCTION void sync() { KOKKOS_IF_ON_DEVICE((__syncwarp(all);)) }

  /// Writes `desired` where `expected` stands, and what stood there. For memory of a team: Kokkos' own atomics
  /// reach that by generic addresses, which is slower.
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
  /// What others may be writing just now. (Kokkos::atomic_load() compares and swaps.)
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_volatile(T const* address) {
    return *static_cast<T const volatile*>(address);
  }
  /// And its counterpart: a store that others may do at once.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION void store_volatile(T* address, T value) {
    *static_cast<T volatile*>(address) = value;
  }

  /// Reads what nobody writes meanwhile, through the read-only path.
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load(T const* address) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      using Word [[maybe_unused]] = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
      KOKKOS_IF_ON_DEVICE((Word word = __ldg(reinterpret_cast<Word const*>(address)); T value;
                           memcpy(static_cast<void*>(&value), &word, sizeof(T)); return value;))
    }
    return *address;
  }

  /// Reads what is used once: asks the caches not to keep it. (Hopper: evict-first in L1 and L2.)
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

  /// Adds 1 to a counter and returns what it was: what this thread has written, and what its team had before
  /// the last barrier, is seen by whoever finds the counter so and calls acquire_fence(). (A release, which
  /// leaves the first cache as it is; __threadfence() would empty it.)
  static KOKKOS_FORCEINLINE_FUNCTION unsigned arrive([[maybe_unused]] unsigned* counter) {
    KOKKOS_IF_ON_DEVICE((unsigned before; asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(
        before) : "l"(counter) : "memory");
                         return before;))
    KOKKOS_IF_ON_HOST((return (*counter)++;))
  }
  static KOKKOS_FORCEINLINE_FUNCTION void acquire_fence() { Kokkos::memory_fence(); }

  /// All threads of the block meet; what they wrote before is seen by all of them after.
  static KOKKOS_FORCEINLINE_FUNCTION void sync_block() { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  /// Stores two words, each whole, in no order between them. Whoever finds one of them by load_relaxed() and
  /// calls acquire() sees what this thread wrote before, and what its block wrote before the last sync_block().
  static KOKKOS_FORCEINLINE_FUNCTION void store_release([[maybe_unused]] std::uint64_t* words,
                                                        [[maybe_unused]] std::uint64_t first,
                                                        [[maybe_unused]] std::uint64_t second) {
    KOKKOS_IF_ON_DEVICE((asm volatile("st.release.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first),
                                      "l"(second) : "memory");))
  }
  /// The same without an order to anything else: for words that say all by themselves.
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
  /// Two words as they are in the second cache just now, each whole; one.
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
  /// After load_relaxed() has found what store_release() stored: what was written before that is seen from here
  /// on, by the whole block after its next sync_block(). Empties the first cache of the multiprocessor.
  static KOKKOS_FORCEINLINE_FUNCTION void acquire() {
    KOKKOS_IF_ON_DEVICE((asm volatile("fence.acq_rel.gpu;" :: : "memory");))
  }

 private:
  static constexpr Mask all = 0xffffffffu;
};

#endif

}  // namespace einkorn
