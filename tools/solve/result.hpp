// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exchange_times.hpp"
#include "solve/settings.hpp"

#include <einkorn/core/comm/transport_time.hpp>
#include <einkorn/solvers/report.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace einkorn::tools {

/// The smallest and the largest number of a rank.
struct RankRange {
  std::int64_t min = 0, max = 0;
};

/// How a system is distributed over the ranks of MPI.
struct Distribution {
  int ranks = 1;
  std::string transport;  // its name()
  RankRange rows, entries, ghosts;
  RankRange neighbours;                             // ranks that a rank exchanges entries of x with
  std::vector<TransportTime> transport_times = {};  // of an automatic choice; empty if it was chosen by name
};

/// The contents of the table and of the JSON of a solve.
struct Result {
  std::string matrix, right_hand_side, format;  // as text
  std::string matrix_name;
  std::int64_t num_rows = 0, num_entries = 0;
  std::string solver, preconditioner, machine;
  std::string preconditioner_table;                // lines after the table; may be empty
  std::optional<Distribution> distribution;        // empty: one process without MPI
  std::optional<program::ExchangeTimes> exchange;  // if it was measured
  SolverKind method = SolverKind::automatic;       // the method that ran
  bool is_preconditioned = false;
  SolveReport report;
  double tolerance = 0;
  std::optional<double> error;  // largest |x_i - 1| if the solution is ones
  double read_seconds = 0, setup_seconds = 0, solve_seconds = 0;
};

/// A suggestion in options of the program; empty if the solve converged.
std::string advice_for(Result const& result);

/// "breakdown of rho, row 3".
std::string outcome_of(SolveReport const& report);

void print_table(std::ostream& out, Result const& result);

/// One JSON object. Numbers that do not exist are null. tools/README.md lists the members.
std::string json_of(Result const& result);

/// Writes json_of().
/// @throws IoError
void write_json(std::string const& path, Result const& result);

/// Writes "iteration,residual" and one line for 0, 1, 2, ... iterations.
/// @throws IoError
void write_history(std::string const& path, SolveReport const& report);

}  // namespace einkorn::tools
