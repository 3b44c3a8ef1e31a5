// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exit_code.hpp"
#include "support/measure.hpp"
#include "support/solve.hpp"
#include "support/suites.hpp"
#include "support/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

using program::Exit, program::done, program::usage, program::bad_input, program::no_memory_or_device;
inline constexpr int wrong_result = program::negative_result;

/// The command line.
struct Settings {
  std::vector<std::string> matrix_arguments;
  std::vector<NamedMatrix> matrices;
  Selection selection;
  MeasureOptions measuring;
  std::string scalar = "double", ordinal = "int32", layout = "right", solver, product, json, transport;
  SolveRequest solve;
  int columns = 0;
  bool verify = true, all = false, explain = false, quiet = false, calibrate = false;

  /// True if the output is a summary: one vector, and no option that requests a table.
  [[nodiscard]] bool wants_summary() const;
  /// Whether the options need einkorn-bench-full (einkorn_bench_full.cpp).
  [[nodiscard]] bool needs_full_program() const;
};

/// Parses the command line into `settings`. Returns the exit code if the program ends here (--help, --version,
/// bad usage, an unknown suite), after printing the message, which `prints` = false suppresses.
std::optional<Exit> read_command_line(int argc, char** argv, Settings& settings, bool prints = true);

/// The command line of einkorn-bench-ranks for --solve on the ranks of MPI, without the name of the program.
/// @throws InvalidArgument for options that are not available there
std::vector<std::string> ranks_command_line(Settings const& settings);

}  // namespace einkorn::perf
