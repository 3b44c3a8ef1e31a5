// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/detail/cooperative_limits.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace einkorn::detail {

inline constexpr int max_cooperative_blocks = 1024;
inline constexpr int max_warps_per_block = 32;

/// The slots through which the blocks of a launch exchange sums. A slot is two words, {upper half of the double
/// | epoch} and {lower half | epoch}: a reader detects from each word alone whether it is current. Thus 8-byte
/// stores suffice and nothing is reset.
///
/// Launches of several ranks, one per device, can exchange sums as one launch: `blocks` are then those of all ranks, of
/// which this one has those from first_block on, and every block stores its sums into the slots of every rank.
struct CooperativeSlots {
  /// [2 sets][max_cooperative_sums][blocks][2], and the last epoch of the previous launch
  std::uint64_t* words;
  int blocks;
  int rank = 0, ranks = 1, first_block = 0;
  std::uint64_t* words_of_rank[max_cooperative_ranks] = {};  // with several ranks

  /// The number of the first word of a slot.
  KOKKOS_FUNCTION int slot(std::uint32_t epoch, int sum, int block) const {
    return ((static_cast<int>(epoch % 2) * max_cooperative_sums + sum) * blocks + block) * 2;
  }
  KOKKOS_FUNCTION std::uint64_t* last_epoch() const { return words + 2 * max_cooperative_sums * blocks * 2; }
  static std::size_t num_words(int blocks) {
    return 4 * static_cast<std::size_t>(max_cooperative_sums) * static_cast<std::size_t>(blocks) + 1;
  }
};

template <class Exec>
class DeviceCooperativeSpace {
 public:
  DeviceCooperativeSpace(Exec const& exec, int multiprocessors, int max_blocks)
      : DeviceCooperativeSpace(
            exec, std::clamp(max_blocks, 1, std::min(4 * multiprocessors, max_cooperative_blocks))) {}

  /// For launches of several ranks. The slots, zeros at first, outlive this.
  explicit DeviceCooperativeSpace(CooperativeSlots const& slots) : slots_(slots) {}

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] CooperativeSlots slots() const { return slots_; }

 private:
  DeviceCooperativeSpace(Exec const& exec, int blocks)
      : words_(allocate<decltype(words_)>(exec, "einkorn::cooperative", CooperativeSlots::num_words(blocks))),
        slots_{words_.data(), blocks} {
    Kokkos::deep_copy(exec, words_, std::uint64_t(0));
  }

  Kokkos::View<std::uint64_t*, typename Exec::memory_space> words_;
  CooperativeSlots slots_;
};

/// The shared memory of a block.
struct CooperativeBlock {
  double warp_sums[max_cooperative_sums][max_warps_per_block];
  double totals[max_cooperative_sums];
  alignas(16) unsigned char state[max_cooperative_state];
};

/// A thread of a cooperative launch on a GPU.
///
/// A barrier costs one round trip through L2: every block stores its sums, and in every block one warp per sum
/// polls the slots of all blocks until they have the epoch of this barrier. There is no atomic
/// read-modify-write and no master block; the other warps wait in sync_block() and cause no memory traffic.
///
/// Memory order: writes of a block happen before its first sync_block(), which happens before the release of
/// its slot 0, which happens before the acquire by the first warp of another block, which happens before the
/// second sync_block() of that block. This orders the writes for all threads of both blocks.
///
/// Two sets of slots suffice. A block reuses the set of epoch e for epoch e + 2, after barrier e + 1. By then
/// every block has stored its slot of e + 1, which it does after the second sync_block() of barrier e, when all
/// its threads have read the slots of e. (Epochs wrap after 2^32 barriers: a slot not written for exactly 2^32
/// barriers would be taken for current.)
///
/// With several ranks, only sum_relaxed() is supported: memory is not ordered between devices.
template <class Exec>
class DeviceCooperativeMember {
  using L = Lanes<Exec>;

 public:
  KOKKOS_FUNCTION DeviceCooperativeMember(CooperativeSlots const& slots, CooperativeBlock& shared,
                                          unsigned char* scratch, int thread, int threads, int block,
                                          int blocks)
      : slots_(slots),
        shared_(shared),
        scratch_(scratch),
        thread_(thread),
        threads_(threads),
        block_(block),
        all_blocks_(slots.ranks > 1 ? slots.blocks : blocks),
        blocks_(blocks),
        epoch_(static_cast<std::uint32_t>(*slots.last_epoch())) {}
  DeviceCooperativeMember(DeviceCooperativeMember const&) = delete;
  DeviceCooperativeMember& operator=(DeviceCooperativeMember const&) = delete;

  KOKKOS_FUNCTION int rank() const { return block_ * threads_ + thread_; }
  KOKKOS_FUNCTION int size() const { return blocks_ * threads_; }
  KOKKOS_FUNCTION int block() const { return block_; }
  KOKKOS_FUNCTION int rank_in_block() const { return thread_; }
  KOKKOS_FUNCTION int threads_of_block() const { return threads_; }
  KOKKOS_FUNCTION static void sync_block() { L::sync_block(); }
  KOKKOS_FUNCTION unsigned char* scratch() const { return scratch_; }
  KOKKOS_FUNCTION std::uint32_t epoch() const { return epoch_; }

  /// True in one block of the launch, for steps that publish results.
  KOKKOS_FUNCTION bool is_leader() const { return block_ == 0; }
  /// Uninitialized memory of the block for a T that its threads share.
  template <class T>
  KOKKOS_FUNCTION T& state() const {
    static_assert(sizeof(T) <= max_cooperative_state && alignof(T) <= 16);
    return *reinterpret_cast<T*>(shared_.state);
  }

  KOKKOS_FUNCTION void sync() {
    sync<0, true>([](double const*) {});
  }
  template <int k>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k]) {
    sum_all(sums, [](double const*) {});
  }
  /// Fixed order: lanes of a warp, warps of a block; blocks of a lane, lanes of a warp.
  template <int k, class Step>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k], Step const& step) {
    store_warp_sums(sums);
    sync<k, true>(step);
    for (int i = 0; i < k; ++i) sums[i] = shared_.totals[i];
  }
  template <int k, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void sum_relaxed(double (&sums)[k], Step const& step) {
    store_warp_sums(sums);
    sync<k, false>(step);
  }

  /// Stores the epoch from which the next launch continues. Called by all threads at the end. All threads have
  /// read the old epoch before the first barrier; without a barrier it does not change.
  KOKKOS_FUNCTION void finish() const {
    if (rank() == 0 && *slots_.last_epoch() != epoch_) *slots_.last_epoch() = epoch_;
  }

 private:
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION void store_warp_sums(double (&sums)[k]) const {
    static_assert(k >= 1 && k <= max_cooperative_sums, "einkorn: a barrier sums 1 to 8 numbers");
    constexpr int lanes = lanes_of_sum<L, k>;
    int const lane = thread_ % L::size;
    double const sum = sums_over_lanes<L>(sums, lane);
    if (lane % lanes == 0 && lane / lanes < k) shared_.warp_sums[lane / lanes][thread_ / L::size] = sum;
  }

  /// The barrier. One warp per number adds the sums of the warps and exchanges the result with the other
  /// blocks; then one thread runs the step.
  /// @tparam orders_memory earlier writes of all threads become visible to all threads; otherwise only the
  /// numbers are exchanged. With k == 0 one warp still synchronizes with all blocks.
  template <int k, bool orders_memory, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void sync(Step const& step) {
    L::sync_block();
    ++epoch_;
    int const warps = threads_ / L::size, lane = thread_ % L::size;
    for (int i = thread_ / L::size; i < (k > 0 ? k : 1); i += warps) {
      double sum = k > 0 && lane < warps ? shared_.warp_sums[i][lane] : 0.0;
      if constexpr (k > 0) sum = sum_over_lanes<L, L::size>(sum);
      if (all_blocks_ > 1) sum = exchange(i, sum, orders_memory && i == 0);
      if (k > 0 && lane == 0) shared_.totals[i] = sum;
    }
    L::sync_block();
    if (thread_ == 0) step(static_cast<double const*>(shared_.totals));
    L::sync_block();
  }

  /// Collective over a warp: takes number i of this block, returns its total over all blocks. A lane polls
  /// `batch` slots at a time, so that their latencies overlap.
  KOKKOS_FORCEINLINE_FUNCTION double exchange(int i, double sum, bool orders_memory) const {
    constexpr int batch = 5;  // covers 132 blocks with 32 lanes
    int const lane = thread_ % L::size;
    if (lane == 0) publish(i, sum, orders_memory);
    sum = 0;
    for (int first = lane; first < all_blocks_; first += batch * L::size) {
      std::uint64_t words[batch][2];
      bool is_incomplete = true;
      while (is_incomplete) {
        for (int u = 0; u < batch; ++u)
          if (first + u * L::size < all_blocks_) load(i, first + u * L::size, words[u]);
        is_incomplete = false;
        for (int u = 0; u < batch; ++u)
          if (first + u * L::size < all_blocks_)
            is_incomplete = is_incomplete || static_cast<std::uint32_t>(words[u][0]) != epoch_ ||
                            static_cast<std::uint32_t>(words[u][1]) != epoch_;
      }
      for (int u = 0; u < batch; ++u)
        if (first + u * L::size < all_blocks_) sum += unpacked(words[u]);
    }
    if (orders_memory) L::acquire();
    return sum_over_lanes<L, L::size>(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void publish(int i, double sum, bool orders_memory) const {
    std::uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof(bits));
    std::uint64_t const first = (bits & upper_half) | epoch_, second = (bits << 32) | epoch_;
    int const slot = slots_.slot(epoch_, i, slots_.first_block + block_);
    for (int rank = 0; rank < slots_.ranks; ++rank)
      if (rank != slots_.rank) {
        L::store_volatile(slots_.words_of_rank[rank] + slot, first);
        L::store_volatile(slots_.words_of_rank[rank] + slot + 1, second);
      }
    if (orders_memory)
      L::store_release(slots_.words + slot, first, second);
    else
      L::store_relaxed(slots_.words + slot, first, second);
  }
  /// The words of number i of a block of any rank.
  KOKKOS_FORCEINLINE_FUNCTION void load(int i, int block, std::uint64_t (&words)[2]) const {
    auto const* const slot = slots_.words + slots_.slot(epoch_, i, block);
    if (slots_.ranks == 1) return L::load_relaxed(slot, words[0], words[1]);
    words[0] = L::load_volatile(slot);
    words[1] = L::load_volatile(slot + 1);
  }
  static KOKKOS_FORCEINLINE_FUNCTION double unpacked(std::uint64_t const (&words)[2]) {
    std::uint64_t const bits = (words[0] & upper_half) | (words[1] >> 32);
    double sum = 0;
    memcpy(&sum, &bits, sizeof(bits));
    return sum;
  }

  static constexpr std::uint64_t upper_half = 0xffffffff00000000u;
  CooperativeSlots slots_;
  CooperativeBlock& shared_;
  unsigned char* scratch_;
  int thread_, threads_, block_;
  int all_blocks_;  // of all ranks
  int blocks_;
  std::uint32_t epoch_;
};

}  // namespace einkorn::detail
