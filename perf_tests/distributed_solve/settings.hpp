// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_name.hpp>
#include <einkorn/solvers/options.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace einkorn::perf::distributed {

/// The command line of einkorn-bench-ranks.
struct Settings {
  std::vector<std::string> matrices;  // none: the stencil of `grid`
  std::string grid = "64";            // points per direction: N or NxMxK
  std::vector<std::string> formats{"csr"};
  std::string matrix, format;  // of one measurement
  std::string transport = "automatic", json;
  std::vector<std::string> solvers;  // empty: all
  int iterations = 50, rounds = 7, replace_every = 50;
  Execution execution = Execution::automatic;  // of the solves on the ranks
  bool checks = true;                          // a solve to 1e-8 must converge
  bool alone = true;                           // also measures rank 0 without MPI

  [[nodiscard]] std::string matrix_name() const { return matrix.empty() ? "gen:stencil7:" + grid : matrix; }
  [[nodiscard]] bool wants(std::string const& solver) const;
  /// One per matrix and format.
  [[nodiscard]] std::vector<Settings> measurements() const;
};

void declare_options(CLI::App& app, Settings& settings);

}  // namespace einkorn::perf::distributed
