// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/graph_replay.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

struct MeasureOptions {
  int rounds = 7;
  bool warm = true, cold = true;
  bool graph = false;   // if the backend has graphs
  bool gather = false;  // also measure random reads of x
  bool screen = false;  // after the first round only rows that may be the fastest: see measure()
};

/// One row of the table.
struct Result {
  Candidate candidate;
  std::optional<double> warm_seconds, cold_seconds;  // medians over the rounds
  double error = 0.0;                                // max over rows of |y - reference| / sum |a||x|
  bool wrong = false;                                // error above the bound of verify.hpp
  std::optional<double> graph_seconds = {};
  std::shared_ptr<GraphReplay const> graph = {};
  std::string graph_refusal = {};  // reason why the row has no graph
  std::optional<double> warm_spread = {}, cold_spread = {}, graph_spread = {};  // spread() of the samples
};

struct MatrixReport {
  std::string matrix, scalar, ordinal;
  std::string suite = {};  // of the command line
  std::size_t rows = 0, cols = 0, nnz = 0, longest_row = 0, csr_bytes = 0;
  bool complex = false;
  int columns = 1;     // of the multivectors
  std::string layout;  // of the multivectors; empty for one vector
  double copy_bytes_per_second = 0.0, stream_bytes_per_second = 0.0;  // medians over the rounds
  std::size_t scalar_bytes = sizeof(double);
  std::optional<double> gather_per_second = {};  // random reads of x, median over the rounds
  int rounds = 0;
  std::vector<Result> results;
  std::string structure = {};                        // describe_structure(); of bench_summary() only
  std::map<std::string, std::string> findings = {};  // format -> basis of the estimate of select(); the same

  /// Lower bound of the time of irregular matrices: the larger of the bytes of CSR over the stream bandwidth
  /// and the entries over the gather rate.
  [[nodiscard]] std::optional<double> floor_seconds() const {
    if (!gather_per_second) return {};
    return std::max(static_cast<double>(csr_bytes) / stream_bytes_per_second,
                    static_cast<double>(nnz) / *gather_per_second);
  }
};

/// Captures the SpMV of every row into a graph. No effect without measuring.graph or on a backend without
/// graphs.
void capture_graphs(Exec const& exec, MeasureOptions const& measuring, MatrixReport& report);

/// Measures all rows in rounds. Every round measures the copy, the stream and each row once, so that a drift of
/// the machine affects all rows equally. Warm: a batch back to back, long enough for the clock. Cold: one
/// operation after a flush of the caches. Graph: as warm, replayed. Conversions follow in rounds of their own, because the
/// driver of a GPU clears what they free (wait_until_freed_memory_is_clear()). With measuring.screen, Einkorn rows (except
/// the default of CSR) above 1.4 times the fastest of the first round are measured in that round only; from_csr
/// is measured in three rounds and only for the remaining formats; after three rounds no round starts later
/// than 10 s.
void measure(Exec const& exec, Bandwidth const& bandwidth, MeasureOptions const& measuring,
             MatrixReport& report);

}  // namespace einkorn::perf
