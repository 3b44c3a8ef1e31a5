// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/precond/multigrid/report.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>

namespace einkorn::tools {

using LevelCallback = std::function<void(MultigridLevel const&)>;  // of MultigridOptions

/// Callbacks that write the progress of a solve: of SolverOptions, "iteration 1200, residual 3.4e-05" at most once per
/// second; of MultigridOptions, a line per level.
class Progress {
 public:
  /// @param seconds clock in seconds, replaced in tests
  explicit Progress(std::ostream& out, std::function<double()> seconds = clock())
      : out_(&out), seconds_(std::move(seconds)), last_(seconds_()) {}

  bool operator()(std::int64_t iteration, double residual) {
    if (double const now = seconds_(); now - last_ >= 1.0) {
      *out_ << "einkorn-solve: iteration " << iteration << ", residual " << residual << std::endl;
      last_ = now;
    }
    return true;
  }

  void operator()(MultigridLevel const& level) {
    *out_ << "einkorn-solve: multigrid level " << num_levels_++ << ": " << level.rows << " rows, " << level.nnz
          << " entries, " << level.format << std::endl;
  }

 private:
  static std::function<double()> clock() {
    return [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  }

  std::ostream* out_;
  std::function<double()> seconds_;
  double last_;
  int num_levels_ = 0;
};

}  // namespace einkorn::tools
