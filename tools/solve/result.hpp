// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/settings.hpp"

#include <einkorn/solvers/report.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace einkorn::tools {

/// What the table of a solve shows.
struct Result {
  std::string matrix, right_hand_side, format;  // in words
  std::string solver, preconditioner, machine;
  SolverKind method = SolverKind::automatic;  // the one that ran
  bool is_preconditioned = false;
  SolveReport report;
  double tolerance = 0;
  std::optional<double> error;  // largest |x_i - 1|, where ones are the solution
  double read_seconds = 0, setup_seconds = 0, solve_seconds = 0;
};

/// What to try next, in options of the program; empty for a solve that converged.
std::string advice_for(Result const& result);

void print_table(std::ostream& out, Result const& result);

/// "iteration,residual" and a line for 0, 1, 2, ... iterations. Throws IoError.
void write_history(std::string const& path, SolveReport const& report);

}  // namespace einkorn::tools
