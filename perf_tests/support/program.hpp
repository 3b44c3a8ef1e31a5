// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/context.hpp"
#include "support/json.hpp"
#include "support/settings.hpp"
#include "support/summary.hpp"

#include <functional>
#include <string>
#include <vector>

namespace einkorn::perf {

/// State of a run of the program.
struct Run {
  Exec const& exec;
  Context const& context;
  Bandwidth const& bandwidth;
  Settings const& settings;
  nlohmann::ordered_json records;  // an array
  std::vector<SummaryLine> lines;  // of the final table
};

/// Measures one matrix, prints the results and adds its records. Returns whether a result is wrong.
using Bench = std::function<bool(Run&, NamedMatrix const&)>;

/// Prints the summary of a matrix and adds a line to the final table and the rows to the records. Returns
/// whether a result is wrong.
bool print_and_record(Run& run, MatrixReport report, NamedMatrix const& matrix);

/// Adds the records of a report. Returns whether a result is wrong.
template <class Report>
bool record(Run& run, Report const& report) {
  for (auto const& entry : records_of(run.context, report)) run.records.push_back(entry);
  bool wrong = false;
  for (auto const& row : report.results) wrong = wrong || row.wrong;
  return wrong;
}

/// The program: parses the command line, initializes Kokkos, measures every matrix, returns the exit code.
/// @param delegates_to_full executes einkorn-bench-full in the same folder, with the same command line, for
/// options that `bench` does not support
int run_bench(int argc, char** argv, Bench const& bench, bool delegates_to_full);

}  // namespace einkorn::perf
