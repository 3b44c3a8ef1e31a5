// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

/// Which partial sums the launches of one sweep have written (host side). counts_only: nothing is launched,
/// only the units are counted, which is how a caller learns how many it has to make room for.
struct SumLedger {
  std::size_t units = 0;
  int launches = 0;
  bool counts_only = false;
};

/// `num_sums` sums that a sweep (launch.hpp) gathers on its way, in double. A unit (a warp or wavefront, on the
/// host a part) writes its own to partials(unit * num_sums), ..., so that whoever adds them up in order gets
/// the same bits every time; sum_partials() does. A sweep of several launches numbers its units on.
template <int num_sums, class Device>
struct PartialSums {
  static constexpr bool gathers = true, is_handed_over = false;
  static constexpr int count = num_sums;
  struct Gathered {
    double sums[num_sums] = {};
  };

  Kokkos::View<double*, Device> partials;  // [units * num_sums]
  SumLedger* ledger = nullptr;             // host
  std::size_t first_unit = 0;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Gathered const& gathered, std::size_t unit, int lane) const {
    for (int j = 0; j < num_sums; ++j) {
      double const sum = sum_over_lanes<L, L::size>(gathered.sums[j]);
      if (lane == 0) partials((first_unit + unit) * num_sums + static_cast<std::size_t>(j)) = sum;
    }
  }
  void hand_over(Gathered const& gathered, std::size_t unit) const {
    for (int j = 0; j < num_sums; ++j)
      partials((first_unit + unit) * num_sums + static_cast<std::size_t>(j)) = gathered.sums[j];
  }

  template <class Policy, class Kernel>
  void launch(std::string const& label, Policy const& policy, Kernel kernel) const {
    constexpr auto lanes = static_cast<std::size_t>(Kernel::L::size);
    kernel.update.first_unit = ledger->units;
    ++ledger->launches;
    ledger->units +=
        static_cast<std::size_t>(policy.league_size()) * static_cast<std::size_t>(policy.team_size()) / lanes;
    if (!ledger->counts_only) launch_teams(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, std::string const& label, Index num_parts, Kernel kernel) const {
    kernel.update.first_unit = ledger->units;
    ++ledger->launches;
    ledger->units += static_cast<std::size_t>(num_parts);
    if (!ledger->counts_only) einkorn::launch_parts(exec, label, num_parts, kernel);
  }
};

}  // namespace einkorn
