// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// The partial sums of one row by parts other than the one that writes the row: carry(first), ...,
/// carry(first + count - 1).
template <class Ordinal, class Offset>
struct CarryRun {
  Ordinal row = 0;
  Offset first = 0, count = 0;
};

/// On a GPU a whole team adds a run of more than this many partial sums.
inline constexpr int max_short_carry_run = 512;

namespace detail {

/// y(row) += alpha (carry(first) + ... + carry(first + count - 1)) for every run. runs(part) is the CarryRun
/// that begins at a part, with count 0 if none does. One thread adds a run of up to max_serial_run partial
/// sums, a warp a longer one, the team one of more than max_short_carry_run. Long runs are listed in scratch;
/// their order in the list varies between runs of the program, but each is summed in an order that depends only
/// on its length.
template <class Exec, class Runs, class Carry, class Y, class EpilogueOp>
struct AddCarry {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using L = Lanes<Exec>;
  static constexpr int team_size = is_gpu<Exec> ? 128 : 1;
  static constexpr int max_serial_run = 4;
  static constexpr std::size_t scratch_bytes = (team_size + 1) * sizeof(int);

  Runs runs;
  Carry carry;
  Y y;
  EpilogueOp epilogue;
  typename Runs::offset_type num_parts;
  bool has_long_runs;

  using Member = typename Policy::member_type;
  using Offset = typename Runs::offset_type;

  KOKKOS_FUNCTION void run(Member const& team, Accumulators& accumulators) const {
    auto const begin = static_cast<Offset>(team.league_rank()) * team_size;
    Offset const part = begin + static_cast<Offset>(team.team_rank());
    decltype(runs(part)) run{};
    if (part < num_parts) run = runs(part);
    bool const is_long = has_long_runs && run.count > max_short_carry_run;
    if (run.count > 0 && run.count <= max_serial_run) {
      Sum sum = carry(run.first);
      for (Offset i = 1; i < run.count; ++i) sum += carry(run.first + i);
      epilogue.add(accumulators, y(run.row), run.row, sum);
    }
    auto pending = L::ballot(run.count > max_serial_run && !is_long);
    for (; pending != 0; pending &= pending - 1) {
      int const owner = L::lowest(pending), lane = team.team_rank() % L::size;
      Offset const first = L::shuffle(run.first, owner), count = L::shuffle(run.count, owner);
      Sum sum = Sum(0);
      for (Offset i = static_cast<Offset>(lane); i < count; i += L::size) sum += carry(first + i);
      sum = sum_over_lanes<L, L::size>(sum);
      if (lane == owner) epilogue.add(accumulators, y(run.row), run.row, sum);
    }
    if (has_long_runs) add_long_runs(team, begin, is_long, accumulators);
  }

 private:
  KOKKOS_FUNCTION void add_long_runs(Member const& team, Offset begin, bool is_long,
                                     Accumulators& accumulators) const {
    std::size_t const bytes = scratch_bytes;
    auto* const list = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(int)));
    int& listed = list[team_size];
    Kokkos::single(Kokkos::PerTeam(team), [&]() { listed = 0; });
    team.team_barrier();
    if (is_long) list[Kokkos::atomic_fetch_add(&listed, 1)] = team.team_rank();
    team.team_barrier();
    int const count = listed;
    for (int i = 0; i < count; ++i) {
      auto const run = runs(begin + static_cast<Offset>(list[i]));
      Sum sum = Sum(0);
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, run.count),
          [&](Offset k, Sum& partial) { partial += carry(run.first + k); }, Kokkos::Sum<Sum>(sum));
      if (team.team_rank() == 0) epilogue.add(accumulators, y(run.row), run.row, sum);
    }
  }
};

/// The same on the host: one thread adds each run. Uses no teams, for which Kokkos::OpenMP allocates scratch at
/// the first launch.
template <class Runs, class Carry, class Y, class EpilogueOp>
struct AddCarryHost {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Offset = typename Runs::offset_type;

  Runs runs;
  Carry carry;
  Y y;
  EpilogueOp epilogue;

  void run(Offset part, Accumulators& accumulators) const {
    auto const run = runs(part);
    if (run.count == 0) return;
    Sum sum = carry(run.first);
    for (Offset i = 1; i < run.count; ++i) sum += carry(run.first + i);
    epilogue.add(accumulators, y(run.row), run.row, sum);
  }
};

}  // namespace detail

/// Completes the rows that several parts have summed: y(row) += alpha times the partial sums of each run.
/// @param runs callable for kernels: runs(part) is the CarryRun that begins at a part, with count 0 if none
/// does
/// @param has_long_runs whether a run may have more than max_short_carry_run partial sums
/// @param carry [number of partial sums]
///
/// 1 launch, asynchronous on exec. The same bits in every run.
template <class Exec, class Runs, class Carry, class Y, class EpilogueOp>
void add_carry(Exec const& exec, Runs const& runs, typename Runs::offset_type num_parts,
               [[maybe_unused]] bool has_long_runs, Carry const& carry, Y const& y,
               EpilogueOp const& epilogue) {
  if constexpr (is_gpu<Exec>) {
    using Functor = detail::AddCarry<Exec, Runs, Carry, Y, EpilogueOp>;
    auto const league = static_cast<int>(ceil_div(num_parts, Functor::team_size));
    auto policy = Kokkos::TeamPolicy<Exec>(exec, league, Functor::team_size);
    if (has_long_runs)
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + alignof(int))));
    epilogue.launch("einkorn::add_carry", policy, Functor{runs, carry, y, epilogue, num_parts, has_long_runs});
  } else {
    epilogue.launch_parts(exec, "einkorn::add_carry", num_parts,
                          detail::AddCarryHost<Runs, Carry, Y, EpilogueOp>{runs, carry, y, epilogue});
  }
}

}  // namespace einkorn
