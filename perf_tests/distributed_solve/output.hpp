// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "distributed_solve/measure.hpp"
#include "distributed_solve/problem.hpp"
#include "distributed_solve/settings.hpp"
#include "support/bandwidth.hpp"
#include "support/context.hpp"

#include <einkorn/core/comm/transport_time.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace einkorn::perf::distributed {

/// What the table and the records show of the distribution.
struct Sizes {
  std::string transport;
  std::vector<TransportTime> transport_times;  ///< of an automatic choice; empty if it was chosen by name
  int ranks = 1;
  std::int64_t rows = 0, entries = 0;
  std::int64_t min_rows = 0, max_rows = 0, min_ghosts = 0, max_ghosts = 0;
  std::size_t matrix_bytes = 0;  ///< of all ranks, local and ghost parts
  std::size_t alone_bytes = 0;   ///< of the matrix without MPI
};

/// The solvers for one matrix in one format.
struct MeasuredFormat {
  Settings settings;
  Sizes sizes;
  std::vector<Measured> solvers;
};

/// Collective.
Sizes sizes_of(Problem const& problem, std::vector<TransportTime> transport_times);

void print_table(std::ostream& out, MeasuredFormat const& measured);

/// An array of records that report/records.py reads: one per solver on the ranks, whose suite is "P ranks", and
/// one per solver without MPI. The copy bandwidth is that of all rounds.
nlohmann::ordered_json records_of(Context const& context, Bandwidth const& bandwidth,
                                  std::vector<MeasuredFormat> const& all);

}  // namespace einkorn::perf::distributed
