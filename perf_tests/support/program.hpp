// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/answer.hpp"
#include "support/bandwidth.hpp"
#include "support/context.hpp"
#include "support/json.hpp"
#include "support/settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace einkorn::perf {

/// What a run of the program has and gathers.
struct Run {
  Exec const& exec;
  Context const& context;
  Bandwidth const& bandwidth;
  Settings const& settings;
  nlohmann::ordered_json records;  // an array
  std::vector<Line> lines;         // of the closing table
};

/// Measures one matrix, prints what the settings ask for and adds its records; true when a result is wrong.
using Bench = std::function<bool(Run&, NamedMatrix const&)>;

/// Prints the answer and adds it to the closing table and its rows to the records.
bool give_answer(Run& run, MatrixReport report, NamedMatrix const& matrix);

/// Adds the records of a report and says whether a result is wrong.
template <class Report>
bool record(Run& run, Report const& report) {
  for (auto const& one : records_of(run.context, report)) run.records.push_back(one);
  bool wrong = false;
  for (auto const& row : report.results) wrong = wrong || row.wrong;
  return wrong;
}

/// The program: command line, Kokkos, every matrix, the exit code. store_partials: what cannot be measured by
/// `bench` goes to the program einkorn-bench-full beside this one, which takes the same command line.
int run_bench(int argc, char** argv, Bench const& bench, bool store_partials);

}  // namespace einkorn::perf
