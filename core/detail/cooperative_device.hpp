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
struct CooperativeBlock {
  double of_warp[most_cooperative_sums][most_warps_of_block];
  double totals[most_cooperative_sums];
  alignas(16) unsigned char state[most_cooperative_state];
};

/// A thread of a cooperative launch on a GPU.
///
/// A barrier is one trip through the second cache: every block stores its sums, and one warp of every block
/// reads those of all blocks, spinning until they carry the epoch of this barrier. No atomic read-modify-write,
/// no block that others wait for to answer; the other warps wait in meet_block() and leave the caches alone.
///
/// Order of memory. What a block has written comes before its first meet_block(), that before the release of
/// the slot, that before its acquisition by the first warp of another block, and that before that block's
/// second meet_block(): causality holds along the chain, for all threads of both blocks.
///
/// Two sets of slots are enough. A block stores into the set of epoch e again for e + 2, after it has passed
/// barrier e + 1; then every block has stored its slot of e + 1, which it does behind the second meet_block()
/// of barrier e, where all its threads had read what they need of e. A third set would never be used. (Epochs
/// wrap after 2^32 barriers; a slot that such a run leaves alone for just that number would be mistaken.)
template <class Exec>
class DeviceCooperativeMember {
  using L = Lanes<Exec>;

 public:
  KOKKOS_FUNCTION DeviceCooperativeMember(CooperativeSlots const& slots, CooperativeBlock& shared, int thread,
                                          int threads, int block, int blocks)
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

  /// One thread of a launch says what all know.
  KOKKOS_FUNCTION bool speaks() const { return block_ == 0; }
  /// Memory of the block, not initialised, for a T that the threads of a block share.
  template <class T>
  KOKKOS_FUNCTION T& state() const {
    static_assert(sizeof(T) <= most_cooperative_state && alignof(T) <= 16);
    return *reinterpret_cast<T*>(shared_.state);
  }

  KOKKOS_FUNCTION void sync() {
    double none[1] = {};
    meet(none, [](double const*) {});
  }
  template <int k>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k]) {
    sum_all(sums, [](double const*) {});
  }
  /// Fixed order: lanes of a warp, warps of a block; blocks by lanes, lanes of a warp.
  template <int k, class Step>
  KOKKOS_FUNCTION void sum_all(double (&sums)[k], Step const& step) {
    static_assert(k >= 1 && k <= most_cooperative_sums, "einkorn: a barrier sums 1 to 8 numbers");
    for (int i = 0; i < k; ++i) sums[i] = sum_over_lanes<L, L::size>(sums[i]);
    if (thread_ % L::size == 0)
      for (int i = 0; i < k; ++i) shared_.of_warp[i][thread_ / L::size] = sums[i];
    meet(sums, step);
    for (int i = 0; i < k; ++i) sums[i] = shared_.totals[i];
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
  /// The barrier. The first warp adds up what the warps have left, trades it with the other blocks, and has its
  /// first thread run the step.
  template <int k, class Step>
  KOKKOS_FUNCTION void meet(double (&sums)[k], Step const& step) {
    L::meet_block();
    ++epoch_;
    if (thread_ < L::size) {
      for (int i = 0; i < k; ++i)
        sums[i] = sum_over_lanes<L, L::size>(thread_ < threads_ / L::size ? shared_.of_warp[i][thread_] : 0.0);
      if (blocks_ > 1) trade(sums);
      if (thread_ == 0) {
        for (int i = 0; i < k; ++i) shared_.totals[i] = sums[i];
        step(static_cast<double const*>(shared_.totals));
      }
    }
    L::meet_block();
  }

  /// By the first warp: the sums of this block in, those over all blocks out. A lane reads a few slots at a
  /// time until all of them are there, so that their latencies overlap.
  template <int k>
  KOKKOS_FUNCTION void trade(double (&sums)[k]) const {
    constexpr int batch = k <= 3 ? 5 : 2;
    for (int i = 0; i < k; ++i)
      if (thread_ == i) publish(i, sums[i]);
    for (int i = 0; i < k; ++i) sums[i] = 0;
    for (int first = thread_; first < blocks_; first += batch * L::size) {
      std::uint64_t words[k][batch][2];
      bool waits = true;
      while (waits) {
        for (int i = 0; i < k; ++i)
          for (int u = 0; u < batch; ++u)
            if (first + u * L::size < blocks_)
              L::load_relaxed(slots_.slot(epoch_, i, first + u * L::size), words[i][u][0], words[i][u][1]);
        waits = false;
        for (int i = 0; i < k; ++i)
          for (int u = 0; u < batch; ++u)
            if (first + u * L::size < blocks_)
              waits = waits || static_cast<std::uint32_t>(words[i][u][0]) != epoch_ ||
                      static_cast<std::uint32_t>(words[i][u][1]) != epoch_;
      }
      for (int i = 0; i < k; ++i)
        for (int u = 0; u < batch; ++u)
          if (first + u * L::size < blocks_) sums[i] += unpacked(words[i][u]);
    }
    L::acquire();
    for (int i = 0; i < k; ++i) sums[i] = sum_over_lanes<L, L::size>(sums[i]);
  }

  KOKKOS_FUNCTION void publish(int i, double sum) const {
    std::uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof(bits));
    L::store_release(slots_.slot(epoch_, i, block_), (bits & upper_half) | epoch_, (bits << 32) | epoch_);
  }
  static KOKKOS_FUNCTION double unpacked(std::uint64_t const (&words)[2]) {
    std::uint64_t const bits = (words[0] & upper_half) | (words[1] >> 32);
    double sum = 0;
    memcpy(&sum, &bits, sizeof(bits));
    return sum;
  }

  static constexpr std::uint64_t upper_half = 0xffffffff00000000u;
  CooperativeSlots slots_;
  CooperativeBlock& shared_;
  int thread_, threads_, block_, blocks_;
  std::uint32_t epoch_;
};

}  // namespace einkorn::detail
