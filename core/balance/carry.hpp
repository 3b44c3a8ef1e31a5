// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/update.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// The pieces of one row that parts other than its writer have summed: carry(first), ..., carry(first + count -
/// 1).
template <class Ordinal, class Offset>
struct CarryRun {
  Ordinal row = 0;
  Offset first = 0, count = 0;
};

namespace detail {

/// y(row) += alpha (carry(first) + ... ) for every run. Runs: a callable from a part's number to the CarryRun
/// that begins there (count 0 if none does). Short runs are added up by one thread in order, long ones by a
/// team: in either case in an order that depends on nothing but the structure.
template <class Exec, class Runs, class Carry, class Y, class Sum>
struct AddCarry {
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr int longest_serial = 32;

  Runs runs;
  Carry carry;
  Y y;
  Update<Sum> update;
  typename Runs::offset_type num_parts;
  bool has_long_runs;

  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Offset = typename Runs::offset_type;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const begin = static_cast<Offset>(team.league_rank()) * team_size;
    Offset const part = begin + static_cast<Offset>(team.team_rank());
    if (part < num_parts) {
      auto const run = runs(part);
      if (run.count > 0 && (!has_long_runs || run.count <= longest_serial)) {
        Sum sum = carry(run.first);
        for (Offset i = 1; i < run.count; ++i) sum += carry(run.first + i);
        update.add(y(run.row), sum);
      }
    }
    if (!has_long_runs) return;
    for (Offset other = begin; other < begin + team_size && other < num_parts; ++other) {
      auto const run = runs(other);
      if (run.count <= longest_serial) continue;  // the same answer in every thread of the team
      Sum sum = Sum(0);
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, run.count),
          [&](Offset i, Sum& partial) { partial += carry(run.first + i); }, Kokkos::Sum<Sum>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&]() { update.add(y(run.row), sum); });
    }
  }
};

}  // namespace detail

/// Completes the rows that were summed in pieces by several parts. Asynchronous on exec; 1 launch.
/// has_long_runs: whether a run may hold more than 32 pieces.
template <class Exec, class Runs, class Carry, class Y, class Sum>
void add_carry(Exec const& exec, Runs const& runs, typename Runs::offset_type num_parts, bool has_long_runs,
               Carry const& carry, Y const& y, Update<Sum> const& update) {
  using Functor = detail::AddCarry<Exec, Runs, Carry, Y, Sum>;
  auto const league = static_cast<int>((num_parts + Functor::team_size - 1) / Functor::team_size);
  Kokkos::parallel_for("einkorn::add_carry",
                       light_weight(Kokkos::TeamPolicy<Exec>(exec, league, Functor::team_size)),
                       Functor{runs, carry, y, update, num_parts, has_long_runs});
}

}  // namespace einkorn
