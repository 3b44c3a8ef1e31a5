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
  std::vector<std::string> words;
  std::vector<NamedMatrix> matrices;
  Selection selection;
  Rule rule;
  std::string scalar = "double", ordinal = "int32", layout = "right", solver, product, json;
  SolveRequest solve;
  int columns = 0;
  bool verify = true, all = false, explain = false, quiet = false, calibrate = false;

  /// One vector, and a few lines a matrix instead of a table of all rows.
  [[nodiscard]] bool wants_answer() const;
  /// What einkorn-bench has not been built with: see einkorn_bench_full.cpp.
  [[nodiscard]] bool needs_full_program() const;
};

/// Reads the command line into `settings`. Returns the exit code where there is nothing more to do (--help,
/// --version, bad usage, an unknown suite), with everything said.
std::optional<Exit> read_command_line(int argc, char** argv, Settings& settings);

}  // namespace einkorn::perf
