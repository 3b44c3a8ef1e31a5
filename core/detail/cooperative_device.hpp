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

inline constexpr int most_cooperative_blocks = 1024;
inline constexpr int most_warps_of_block = 32;

/// Where the blocks of a launch leave their sums for each other. A slot is two words, {upper half of the double
/// | epoch} and {lower half | epoch}: whoever reads a word knows by itself whether it is the awaited one, so
/// that 8-byte stores suffice and nothing has to be reset.
struct CooperativeSlots {
  std::uint64_t*
      words;  // [2 sets][most_cooperative_sums][blocks][2], and the epoch that the last launch ended with
  int blocks;

  KOKKOS_FUNCTION std::uint64_t* slot(std::uint32_t epoch, int sum, int block) const {
    return words + ((static_cast<int>(epoch % 2) * most_cooperative_sums + sum) * blocks + block) * 2;
  }
  KOKKOS_FUNCTION std::uint64_t* last_epoch() const { return words + 2 * most_cooperative_sums * blocks * 2; }
  static std::size_t num_words(int blocks) {
    return 4 * static_cast<std::size_t>(most_cooperative_sums) * static_cast<std::size_t>(blocks) + 1;
  }
};

template <class Exec>
class DeviceCooperativeSpace {
 public:
  DeviceCooperativeSpace(Exec const& exec, int multiprocessors, int max_blocks)
      : blocks_(std::clamp(max_blocks, 1, std::min(4 * multiprocessors, most_cooperative_blocks))),
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
struct CooperativeBlockSums {
  double of_warp[most_cooperative_sums][most_warps_of_block];
  double of_blocks[most_cooperative_sums * most_cooperative_blocks / 32];  // sums of lockstep_lanes blocks each
};

/// A thread of a cooperative launch on a GPU.
///
/// A barrier is one trip through the second cache: every block stores its sums, and every block reads those of
/// all blocks, spinning until they carry the epoch of this barrier. No atomic read-modify-write, no block that
/// others wait for to answer.
///
/// Order of memory. What a block has written comes before its first meet_block(), that before the release of
/// the slot, that before its acquisition by a thread of another block, and that before that block's second
/// meet_block(): causality holds along the chain, for all threads of both blocks.
///
/// Two sets of slots are enough. A block stores into the set of epoch e again for e + 2, after it has passed
/// barrier e + 1; then every block has stored its slot of e + 1, which it does behind the second meet_block()
/// of barrier e, where all its threads had read what they need of e. A third set would never be used. (Epochs
/// wrap after 2^32 barriers; a slot that such a run leaves alone for just that number would be mistaken.)
template <class Exec>
class DeviceCooperativeMember {
  using L = Lanes<Exec>;

 public:
  KOKKOS_FUNCTION DeviceCooperativeMember(CooperativeSlots const& slots, CooperativeBlockSums& shared,
                                          int thread, int threads, int block, int blocks)
      : slots_(slots),
        shared_(shared),
        thread_(thread),
        threads_(threads),
        block_(block),
        blocks_(blocks),
        epoch_(static_cast<std::uint32_t>(*slots.last_epoch())) {}
  DeviceCooperativeMember(DeviceCooperativeMember const&) = delete;
  DeviceCooperativeMember& operator=(DeviceCooperativeMember const&) = delete;

  KOKKOS_FUNCTION int rank() const { return block_ * threads_ + thread_; }
  KOKKOS_FUNCTION int size() const { return blocks_ * threads_; }

  KOKKOS_FUNCTION void sync() {
    L::meet_block();
    if (blocks_ == 1) return;
    ++epoch_;
    if (thread_ == 0) publish(0, 0.0);
    for (int block = thread_; block < blocks_; block += threads_) await(0, block);
    L::meet_block();
  }

  /// Fixed order: lanes of a warp, warps of a block, blocks by groups of a warp's lanes, groups.
  template <int k>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k]) {
    static_assert(k >= 1 && k <= most_cooperative_sums, "einkorn: a barrier sums 1 to 8 numbers");
    int const lane = thread_ % L::size, warp = thread_ / L::size, warps = threads_ / L::size;
    int const groups = (blocks_ + L::size - 1) / L::size;
    for (int i = 0; i < k; ++i) sums[i] = sum_over_lanes<L, L::size>(sums[i]);
    if (lane == 0)
      for (int i = 0; i < k; ++i) shared_.of_warp[i][warp] = sums[i];
    L::meet_block();
    ++epoch_;
    for (int i = warp; i < k; i += warps) {
      double const sum = sum_over_lanes<L, L::size>(lane < warps ? shared_.of_warp[i][lane] : 0.0);
      if (lane == 0) {
        if (blocks_ == 1)
          shared_.of_blocks[i] = sum;
        else
          publish(i, sum);
      }
    }
    if (blocks_ > 1) {
      for (int task = warp; task < k * groups; task += warps) {
        int const block = task / k * L::size + lane;
        double const sum = sum_over_lanes<L, L::size>(block < blocks_ ? await(task % k, block) : 0.0);
        if (lane == 0) shared_.of_blocks[task] = sum;
      }
    }
    L::meet_block();
    for (int i = 0; i < k; ++i) sums[i] = shared_.of_blocks[i];
    for (int group = 1; group < groups; ++group)
      for (int i = 0; i < k; ++i) sums[i] += shared_.of_blocks[group * k + i];
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
    for (int i = 0; i < k; ++i) total[i] = 0;
    for_each_part(num_parts, [&](Index part) { body(part, total); });
    sum_all(total);
  }
  template <int k, class Body>
  KOKKOS_FUNCTION void sum_teams(int league_size, int team_size, Body const& body, double (&total)[k]) {
    for (int i = 0; i < k; ++i) total[i] = 0;
    for_each_team(league_size, team_size, [&](VirtualTeam const& team) { body(team, total); });
    sum_all(total);
  }

  /// Once, at the end, by all: the next launch goes on from this epoch. All have read the old one before the
  /// first barrier, without which it is not changed.
  KOKKOS_FUNCTION void leave() const {
    if (rank() == 0 && *slots_.last_epoch() != epoch_) *slots_.last_epoch() = epoch_;
  }

 private:
  KOKKOS_FUNCTION void publish(int i, double sum) const {
    std::uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof(bits));
    L::store_release(slots_.slot(epoch_, i, block_), (bits & upper_half) | epoch_, (bits << 32) | epoch_);
  }
  KOKKOS_FUNCTION double await(int i, int block) const {
    auto const* slot = slots_.slot(epoch_, i, block);
    std::uint64_t first = 0, second = 0;
    do L::load_acquire(slot, first, second);
    while (static_cast<std::uint32_t>(first) != epoch_ || static_cast<std::uint32_t>(second) != epoch_);
    std::uint64_t const bits = (first & upper_half) | (second >> 32);
    double sum = 0;
    memcpy(&sum, &bits, sizeof(bits));
    return sum;
  }

  static constexpr std::uint64_t upper_half = 0xffffffff00000000u;
  CooperativeSlots slots_;
  CooperativeBlockSums& shared_;
  int thread_, threads_, block_, blocks_;
  std::uint32_t epoch_;
};

}  // namespace einkorn::detail
