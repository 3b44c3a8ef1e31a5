// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "distributed_solve/problem.hpp"
#include "distributed_solve/settings.hpp"
#include "program/exchange_times.hpp"
#include "support/bandwidth.hpp"

#include <einkorn/solvers/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace einkorn::perf::distributed {

/// What one round measures, in seconds; of the slowest rank, except for alone_iteration and alone_copy.
struct Round {
  double iteration = 0;                        ///< of the solver on all ranks
  program::ExchangeTimes exchange;             ///< of one product
  double gather = 0;                           ///< of 5 doubles of every rank on every rank
  double copy = 0;                             ///< of the bandwidth measurement, on all ranks at once
  double alone_iteration = 0, alone_copy = 0;  ///< without MPI on rank 0, while the other ranks sleep
};

/// The rounds of one solver. On all ranks; alone_iteration and alone_copy on rank 0 only.
struct Measured {
  Solver solver;
  std::vector<Round> rounds;
  SolveReport report, alone_report;  ///< of the last solves

  [[nodiscard]] std::vector<double> samples(double Round::* time) const;
  [[nodiscard]] std::vector<double> samples(double program::ExchangeTimes::* time) const;
  /// The medians of the exchange.
  [[nodiscard]] program::ExchangeTimes exchange() const;
};

/// Seconds of work() on rank 0; the other ranks wait without using a core, which MPI_Barrier does. Collective.
double on_rank_0_alone(Exec const& exec, Communicator const& comm, std::function<void()> const& work);

/// Measures the solvers that the settings name. Round -1 warms up. Collective.
/// @throws Error if a solve to 1e-8 does not converge
std::vector<Measured> measure(Problem const& problem, Bandwidth const& bandwidth, Settings const& settings);

}  // namespace einkorn::perf::distributed
