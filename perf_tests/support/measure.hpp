// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

struct Rule {
  int rounds = 7;
  bool warm = true, cold = true;
};

/// One row of the table.
struct Result {
  Candidate candidate;
  std::optional<double> warm_seconds, cold_seconds;    // medians over the rounds
  double error = 0.0;                                  // max over rows of |y - reference| / sum |a||x|
  bool wrong = false;                                  // beyond the bound of verify.hpp
  std::optional<double> warm_spread{}, cold_spread{};  // of the samples (timing.hpp); none of too few
};

struct MatrixReport {
  std::string matrix, scalar, ordinal;
  std::size_t rows = 0, cols = 0, nnz = 0, longest_row = 0, csr_bytes = 0;
  bool complex = false;
  int columns = 1;     // vectors at once
  std::string layout;  // of the multivectors; empty for one vector
  double copy_bytes_per_second = 0.0, stream_bytes_per_second = 0.0;  // medians over the same rounds
  int rounds = 0;
  std::vector<Result> results;
};

/// Times all results that have something to run, in rounds: every round measures the copy, the stream and each
/// row once, so that a machine that drifts drifts for all of them alike. Warm: a batch back to back, long
/// enough for the clock. Cold: caches flushed, then one.
void measure(Exec const& exec, Bandwidth const& bandwidth, Rule const& rule, MatrixReport& report);

}  // namespace einkorn::perf
