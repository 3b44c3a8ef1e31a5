// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Emulation of GPU teams on one host thread, for kernels whose groups of lanes have one lane on a host. Include
// it before the kernels. A lane is a fiber that runs until it synchronizes: with its warp at a shuffle or
// sync(), with its team at a barrier. A deadlock, for example of lanes of a warp in different branches, is an
// error. Each lane runs as far as possible before the next one, so that unsynchronized accesses occur in
// another order than on a GPU.

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <ucontext.h>
#include <vector>

namespace einkorn::test {

/// A substitute for an execution space.
struct Lockstep {
  [[nodiscard]] static int concurrency() { return 2048; }
};

/// A barrier of `members` lanes.
struct Barrier {
  int members = 0, arrived = 0;
  std::size_t epoch = 0;  // completed barriers
};

/// Where a fiber continues. A jump is much faster than swapcontext(), which calls the kernel for the signal mask;
/// sanitizers know the latter only.
struct FiberState {
  ucontext_t context;
  std::jmp_buf position;
  bool has_started = false;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static void switch_fibers(FiberState& from, FiberState& to) { swapcontext(&from.context, &to.context); }
#else
  static void switch_fibers(FiberState& from, FiberState& to) {
    if (_setjmp(from.position) != 0) return;
    if (to.has_started) _longjmp(to.position, 1);
    to.has_started = true;
    setcontext(&to.context);
  }
#endif
};

struct Lane {
  FiberState state;
  std::vector<char> stack;
  int rank = 0;
  Barrier* warp = nullptr;
  Lane* first_of_warp = nullptr;
  Barrier* awaited = nullptr;  // the lane continues when its epoch is not this one
  std::size_t epoch = 0;
  alignas(16) char sent[32];  // operand of a shuffle or of a reduction over the team
  std::size_t scratch_used = 0;
  bool done = false;
};

class LockstepTeam {
 public:
  static constexpr int warp_size = 32;
  static inline Lane* current = nullptr;

  LockstepTeam(int size, std::size_t scratch_bytes)
      : lanes_(static_cast<std::size_t>(size)),
        warps_(static_cast<std::size_t>(size / warp_size)),
        scratch_(scratch_bytes / sizeof(Line) + 1) {
    if (size % warp_size != 0) throw std::invalid_argument("the team size must be a multiple of the warp size");
    team_barrier_.members = size;
    for (auto& warp : warps_) warp.members = warp_size;
    for (int rank = 0; rank < size; ++rank) {
      auto& lane = lanes_[static_cast<std::size_t>(rank)];
      lane.rank = rank;
      lane.warp = &warps_[static_cast<std::size_t>(rank / warp_size)];
      lane.first_of_warp = &lanes_[static_cast<std::size_t>(rank / warp_size * warp_size)];
      lane.stack.resize(std::size_t(1) << 16);
    }
  }

  /// Runs body in every lane. Throws on a deadlock.
  void run(std::function<void()> const& body) {
    body_ = &body;
    for (auto& lane : lanes_) {
      lane.done = lane.state.has_started = false;
      lane.awaited = nullptr;
      lane.scratch_used = 0;
      auto& context = lane.state.context;
      getcontext(&context);
      context.uc_stack.ss_sp = lane.stack.data();
      context.uc_stack.ss_size = lane.stack.size();
      context.uc_link = nullptr;  // begin() does not return
      makecontext(&context, &LockstepTeam::begin, 0);
    }
    main_.has_started = true;
    running = this;
    for (bool progresses = true; progresses;) {
      progresses = false;
      for (auto& lane : lanes_) {
        if (lane.done || (lane.awaited != nullptr && lane.awaited->epoch == lane.epoch)) continue;
        current = &lane;
        FiberState::switch_fibers(main_, lane.state);
        progresses = true;
      }
    }
    for (auto const& lane : lanes_)
      if (!lane.done) throw std::logic_error("lane " + std::to_string(lane.rank) + " is deadlocked");
  }
  static void sync(Barrier& barrier) {
    if (++barrier.arrived == barrier.members) {
      barrier.arrived = 0;
      ++barrier.epoch;
      return;
    }
    current->awaited = &barrier;
    current->epoch = barrier.epoch;
    running->pause();
  }
  static inline LockstepTeam* running = nullptr;

  Barrier& team_barrier() { return team_barrier_; }
  [[nodiscard]] int size() const { return static_cast<int>(lanes_.size()); }
  char* scratch() { return scratch_.data()->bytes; }
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_.size() * sizeof(Line); }
  [[nodiscard]] Lane const& lane(int rank) const { return lanes_[static_cast<std::size_t>(rank)]; }

 private:
  struct alignas(16) Line {
    char bytes[16];
  };
  static void begin() {
    (*running->body_)();
    current->done = true;
    running->pause();
  }
  void pause() { FiberState::switch_fibers(current->state, main_); }

  std::vector<Lane> lanes_;
  std::vector<Barrier> warps_;
  std::vector<Line> scratch_;
  Barrier team_barrier_;
  FiberState main_;
  std::function<void()> const* body_ = nullptr;
};

/// The team handle of a functor.
struct LockstepMember {
  struct Scratch {
    LockstepTeam* team;
    /// As Kokkos: the next bytes of the scratch; null if it is too small.
    [[nodiscard]] void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
      auto& used = LockstepTeam::current->scratch_used;
      std::size_t const begin = (used + alignment - 1) / alignment * alignment;
      if (begin + bytes > team->scratch_bytes()) return nullptr;
      used = begin + bytes;
      return team->scratch() + begin;
    }
  };
  LockstepTeam* team;
  int league, teams;

  [[nodiscard]] int league_rank() const { return league; }
  [[nodiscard]] int league_size() const { return teams; }
  [[nodiscard]] int team_rank() const { return LockstepTeam::current->rank; }
  [[nodiscard]] int team_size() const { return team->size(); }
  void team_barrier() const { LockstepTeam::sync(team->team_barrier()); }
  [[nodiscard]] Scratch team_scratch(int) const { return {team}; }
  template <class Reducer>
  void team_reduce(Reducer const& reducer) const {
    using Value = typename Reducer::value_type;
    static_assert(sizeof(Value) <= sizeof(Lane::sent));
    std::memcpy(LockstepTeam::current->sent, &reducer.reference(), sizeof(Value));
    team_barrier();
    Value all;
    reducer.init(all);
    for (int rank = 0; rank < team->size(); ++rank) {
      Value partial;
      std::memcpy(&partial, team->lane(rank).sent, sizeof(Value));
      reducer.join(all, partial);
    }
    team_barrier();
    reducer.reference() = all;
  }
};

/// As Warp; atomics as OneThread, because only one fiber runs at a time.
struct LockstepWarp : OneThread, NoCacheHint {
  static constexpr int size = LockstepTeam::warp_size;
  using Mask = std::uint32_t;

  static void sync() { LockstepTeam::sync(*LockstepTeam::current->warp); }
  template <class T>
  static T shuffle(T const& value, int lane, int width = size) {
    return from(value, own() / width * width + lane % width);
  }
  template <class T>
  static T shuffle_xor(T const& value, int bits, int = size) {
    return from(value, own() ^ bits);
  }
  static Mask ballot(bool condition) {
    Mask result = 0;
    for (int lane = 0; lane < size; ++lane) result |= from(condition, lane) ? Mask(1) << lane : 0;
    return result;
  }
  static int lowest(Mask mask) { return Kokkos::Experimental::countr_zero_builtin(mask); }
  template <class T>
  static T load(T const* address) {
    return *address;
  }
  template <class T>
  static T load_volatile(T const* address) {
    return *address;
  }
  template <class T>
  static void store_volatile(T* address, T value) {
    *address = value;
  }
  template <class T>
  static T load_streaming(T const* address) {
    return *address;
  }
  template <class T>
  static T load_streaming(T const* address, CacheHint) {
    return *address;
  }

 private:
  static int own() { return LockstepTeam::current->rank % size; }
  template <class T>
  static T from(T const& value, int lane) {
    static_assert(sizeof(T) <= sizeof(Lane::sent));
    std::memcpy(LockstepTeam::current->sent, static_cast<void const*>(&value), sizeof(T));
    sync();
    T result;
    std::memcpy(static_cast<void*>(&result), LockstepTeam::current->first_of_warp[lane].sent, sizeof(T));
    sync();
    return result;
  }
};

/// Runs functor(team) for every team of a league.
template <class Functor>
void run_in_lockstep(Functor const& functor, int league_size, int team_size, std::size_t scratch_bytes) {
  LockstepTeam team(team_size, scratch_bytes);
  for (int league = 0; league < league_size; ++league) {
    LockstepMember const member{&team, league, league_size};
    team.run([&] { functor(member); });
  }
}

template <class Index>
struct LockstepRange {
  LockstepMember const& member;
  Index count;
};

}  // namespace einkorn::test

namespace einkorn::detail {

template <>
struct ArchOf<test::Lockstep> {
  static constexpr Arch value = Arch::hopper;
};
template <>
struct LanesOf<Arch::hopper> {
  using type = test::LockstepWarp;
};

}  // namespace einkorn::detail

// The part of the team interface of Kokkos that the kernels use, for vector length 1.
namespace Kokkos {

template <class... More>
class TeamPolicy<einkorn::test::Lockstep, More...> {
 public:
  using member_type = einkorn::test::LockstepMember;
  int league_size, team_size;
  std::size_t scratch = 0;

  TeamPolicy(einkorn::test::Lockstep const&, int teams, int threads) : league_size(teams), team_size(threads) {}
  void set_scratch_size(int, Impl::PerTeamValue const& bytes) {
    scratch = static_cast<std::size_t>(bytes.value);
  }
};
namespace Experimental {
template <class... More, unsigned long property>
auto require(TeamPolicy<einkorn::test::Lockstep, More...> const policy,
             WorkItemProperty::ImplWorkItemProperty<property>) {
  return policy;
}
}  // namespace Experimental
template <class... More, class Functor>
void parallel_for(char const*, TeamPolicy<einkorn::test::Lockstep, More...> const& policy,
                  Functor const& functor) {
  einkorn::test::run_in_lockstep(functor, policy.league_size, policy.team_size, policy.scratch);
}

template <class Index>
einkorn::test::LockstepRange<Index> TeamThreadRange(einkorn::test::LockstepMember const& member, Index count) {
  return {member, count};
}
template <class Index, class Body, class T>
void parallel_reduce(einkorn::test::LockstepRange<Index> const& range, Body const& body, T& result) {
  T all(0);
  for (Index i = 0; i < range.count; ++i) body(i, all);  // every lane does the whole range
  range.member.team_barrier();
  result = all;
}
template <class Index, class Body, class T>
void parallel_scan(einkorn::test::LockstepRange<Index> const& range, Body const& body, T& result) {
  T before(0);
  bool const is_first = range.member.team_rank() == 0;
  for (Index i = 0; i < range.count; ++i) body(i, before, is_first);  // only lane 0 is final
  range.member.team_barrier();
  result = before;
}

}  // namespace Kokkos
