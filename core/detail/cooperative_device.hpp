// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/detail/virtual_team.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace einkorn::detail {

inline constexpr int max_cooperative_blocks = 1024;
inline constexpr int max_warps_of_block = 32;

/// Where the blocks of a launch leave their sums for each other. A slot is two words, {upper half of the double
/// | epoch} and {lower half | epoch}: whoever reads a word knows by itself whether it is the awaited one, so
/// that 8-byte stores suffice and nothing has to be reset.
struct CooperativeSlots {
  std::uint64_t*
      words;  // [2 sets][max_cooperative_sums][blocks][2], and the epoch that the last launch ended with
  int blocks;

  KOKKOS_FUNCTION std::uint64_t* slot(std::uint32_t epoch, int sum, int block) const {
    return words + ((static_cast<int>(epoch % 2) * max_cooperative_sums + sum) * blocks + block) * 2;
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
      : blocks_(std::clamp(max_blocks, 1, std::min(4 * multiprocessors, max_cooperative_blocks))),
        words_(allocate<decltype(words_)>(exec, "einkorn::cooperative", CooperativeSlots::num_words(blocks_))) {
    Kokkos::deep_copy(exec, words_, std::uint64_t(0));
  }

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] CooperativeSlots slots() const { return {words_.data(), blocks_}; }

 private:
  int blocks_;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> words_;
};

/// In shared memory.
struct CooperativeBlock {
  double of_warp[max_cooperative_sums][max_warps_of_block];
  double totals[max_cooperative_sums];
  alignas(16) unsigned char state[max_cooperative_state];
};

/// A thread of a cooperative launch on a GPU.
///
/// A barrier is one trip through the second cache: every block stores its sums, and a warp a sum of every block
/// reads those of all blocks, spinning until they carry the epoch of this barrier. No atomic read-modify-write,
/// no block that others wait for to answer; the other warps wait in sync_block() and leave the caches alone.
///
/// Order of memory. What a block has written comes before its first sync_block(), that before the release of
/// its first slot, that before its acquisition by the first warp of another block, and that before that block's
/// second sync_block(): causality holds along the chain, for all threads of both blocks.
///
/// Two sets of slots are enough. A block stores into the set of epoch e again for e + 2, after it has passed
/// barrier e + 1; then every block has stored its slot of e + 1, which it does behind the second sync_block()
/// of barrier e, where all its threads had read what they need of e. A third set would never be used. (Epochs
/// wrap after 2^32 barriers; a slot that such a run leaves alone for just that number would be mistaken.)
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

  /// One thread of a launch says what all know.
  KOKKOS_FUNCTION bool is_leader() const { return block_ == 0; }
  /// Memory of the block, not initialised, for a T that the threads of a block share.
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
  /// Fixed order: lanes of a warp, warps of a block; blocks by lanes, lanes of a warp.
  template <int k, class Step>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k], Step const& step) {
    leave_to_block(sums);
    sync<k, true>(step);
    for (int i = 0; i < k; ++i) sums[i] = shared_.totals[i];
  }
  template <int k, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void sum_relaxed(double (&sums)[k], Step const& step) {
    leave_to_block(sums);
    sync<k, false>(step);
  }

  template <class Index, class Body>
  KOKKOS_FUNCTION void for_each_part(Index num_parts, Body const& body) const {
    auto const end = static_cast<std::int64_t>(num_parts);
    for (std::int64_t part = rank(); part < end; part += size()) body(static_cast<Index>(part));
  }
  template <class Body>
  KOKKOS_FUNCTION void for_each_team(int league_size, int team_size, Body const& body) const {
    std::int64_t const teams = size() / team_size;
    for (std::int64_t team = rank() / team_size; team < league_size; team += teams)
      body(VirtualTeam(static_cast<int>(team), league_size, thread_ % team_size, team_size));
  }
  template <int k, class Index, class Body>
  KOKKOS_FUNCTION void sum_parts(Index num_parts, Body const& body, double (&total)[k]) {
    sum_parts(num_parts, body, total, [](double const*) {});
  }
  template <int k, class Index, class Body, class Step>
  KOKKOS_FUNCTION void sum_parts(Index num_parts, Body const& body, double (&total)[k], Step const& step) {
    for (int i = 0; i < k; ++i) total[i] = 0;
    for_each_part(num_parts, [&](Index part) { body(part, total); });
    sum_all(total, step);
  }
  template <int k, class Body>
  KOKKOS_FUNCTION void sum_teams(int league_size, int team_size, Body const& body, double (&total)[k]) {
    sum_teams(league_size, team_size, body, total, [](double const*) {});
  }
  template <int k, class Body, class Step>
  KOKKOS_FUNCTION void sum_teams(int league_size, int team_size, Body const& body, double (&total)[k],
                                 Step const& step) {
    for (int i = 0; i < k; ++i) total[i] = 0;
    for_each_team(league_size, team_size, [&](VirtualTeam const& team) { body(team, total); });
    sum_all(total, step);
  }

  /// Once, at the end, by all: the next launch goes on from this epoch. All have read the old one before the
  /// first barrier, without which it is not changed.
  KOKKOS_FUNCTION void leave() const {
    if (rank() == 0 && *slots_.last_epoch() != epoch_) *slots_.last_epoch() = epoch_;
  }

 private:
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION void leave_to_block(double (&sums)[k]) const {
    static_assert(k >= 1 && k <= max_cooperative_sums, "einkorn: a barrier sums 1 to 8 numbers");
    constexpr int lanes = lanes_of_sum<L, k>;
    int const lane = thread_ % L::size;
    double const sum = sums_over_lanes<L>(sums, lane);
    if (lane % lanes == 0 && lane / lanes < k) shared_.of_warp[lane / lanes][thread_ / L::size] = sum;
  }

  /// The barrier. A warp a number adds up what the warps have left and trades it with the other blocks; then
  /// one thread runs the step. orders: what threads wrote before is seen by all after, for which one warp has
  /// to see all others; without, only the numbers pass.
  template <int k, bool orders, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void sync(Step const& step) {
    L::sync_block();
    ++epoch_;
    int const warps = threads_ / L::size, lane = thread_ % L::size;
    for (int i = thread_ / L::size; i < (k > 0 ? k : 1); i += warps) {
      double sum = k > 0 && lane < warps ? shared_.of_warp[i][lane] : 0.0;
      if constexpr (k > 0) sum = sum_over_lanes<L, L::size>(sum);
      if (blocks_ > 1) sum = trade(i, sum, orders && i == 0);
      if (k > 0 && lane == 0) shared_.totals[i] = sum;
    }
    L::sync_block();
    if (thread_ == 0) step(static_cast<double const*>(shared_.totals));
    L::sync_block();
  }

  /// By a warp: number i of this block in, its total over all blocks out. A lane reads a few slots at a time
  /// until all of them are there, so that their latencies overlap.
  KOKKOS_FORCEINLINE_FUNCTION double trade(int i, double sum, bool orders) const {
    constexpr int batch = 5;  // all of 132 blocks by 32 lanes
    int const lane = thread_ % L::size;
    if (lane == 0) publish(i, sum, orders);
    sum = 0;
    for (int first = lane; first < blocks_; first += batch * L::size) {
      std::uint64_t words[batch][2];
      bool waits = true;
      while (waits) {
        for (int u = 0; u < batch; ++u)
          if (first + u * L::size < blocks_)
            L::load_relaxed(slots_.slot(epoch_, i, first + u * L::size), words[u][0], words[u][1]);
        waits = false;
        for (int u = 0; u < batch; ++u)
          if (first + u * L::size < blocks_)
            waits = waits || static_cast<std::uint32_t>(words[u][0]) != epoch_ ||
                    static_cast<std::uint32_t>(words[u][1]) != epoch_;
      }
      for (int u = 0; u < batch; ++u)
        if (first + u * L::size < blocks_) sum += unpacked(words[u]);
    }
    if (orders) L::acquire();
    return sum_over_lanes<L, L::size>(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void publish(int i, double sum, bool orders) const {
    std::uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof(bits));
    auto* const slot = slots_.slot(epoch_, i, block_);
    if (orders)
      L::store_release(slot, (bits & upper_half) | epoch_, (bits << 32) | epoch_);
    else
      L::store_relaxed(slot, (bits & upper_half) | epoch_, (bits << 32) | epoch_);
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
  int thread_, threads_, block_, blocks_;
  std::uint32_t epoch_;
};

}  // namespace einkorn::detail
