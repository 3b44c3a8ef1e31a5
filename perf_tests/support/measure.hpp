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

struct Rule {
  int rounds = 7;
  bool warm = true, cold = true;
  bool graph = false;   // where the backend has graphs
  bool gather = false;  // also the rate of random reads of x
  bool screen = false;  // from the second round on only what may be the best: see measure()
};

/// One row of the table.
struct Result {
  Candidate candidate;
  std::optional<double> warm_seconds, cold_seconds;  // medians over the rounds
  double error = 0.0;                                // max over rows of |y - reference| / sum |a||x|
  bool wrong = false;                                // beyond the bound of verify.hpp
  std::optional<double> graph_seconds = {};
  std::shared_ptr<GraphReplay const> graph = {};
  std::string graph_refusal = {};  // why there is a row, but no graph of it
  std::optional<double> warm_spread = {}, cold_spread = {}, graph_spread = {};  // of the samples (timing.hpp)
};

struct MatrixReport {
  std::string matrix, scalar, ordinal;
  std::string suite = {};  // that named the matrix
  std::size_t rows = 0, cols = 0, nnz = 0, longest_row = 0, csr_bytes = 0;
  bool complex = false;
  int columns = 1;     // vectors at once
  std::string layout;  // of the multivectors; empty for one vector
  double copy_bytes_per_second = 0.0, stream_bytes_per_second = 0.0;  // medians over the same rounds
  std::size_t scalar_bytes = sizeof(double);
  std::optional<double> gather_per_second = {};  // random reads of an x of this matrix, over the same rounds
  int rounds = 0;
  std::vector<Result> results;
  std::string structure = {};                        // where the entries lie, in words; of an answer only
  std::map<std::string, std::string> findings = {};  // what select()'s figure of a format rests on; the same

  /// The larger of CSR's bytes over the stream and entries over the gather: what irregular matrices are held
  /// to.
  [[nodiscard]] std::optional<double> floor_seconds() const {
    if (!gather_per_second) return {};
    return std::max(static_cast<double>(csr_bytes) / stream_bytes_per_second,
                    static_cast<double>(nnz) / *gather_per_second);
  }
};

/// Captures every SpMV that can be, in rounds and for the check before them. Nothing without rule.graph or
/// without graphs.
void capture_graphs(Exec const& exec, Rule const& rule, MatrixReport& report);

/// Times all results that have something to run, in rounds: every round measures the copy, the stream and each
/// row once, so that a machine that drifts drifts for all of them alike. Warm: a batch back to back, long
/// enough for the clock. Cold: caches flushed, then one. Graph: as warm, replayed. With rule.screen rows of
/// ours that take more than 1.4 times the least of the first round have that round only (not CSR's default),
/// from_csr is timed in three rounds and only of the formats that are left, and no round begins after 10 s if
/// there are three.
void measure(Exec const& exec, Bandwidth const& bandwidth, Rule const& rule, MatrixReport& report);

}  // namespace einkorn::perf
