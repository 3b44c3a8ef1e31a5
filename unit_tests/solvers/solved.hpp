// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"

#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <utility>
#include <vector>

namespace einkorn::test {

/// Results of a solve, on the host.
template <class S>
struct Solved {
  SolveReport report;
  std::vector<S> x;
};

/// solve(b, x, options) from x0.
template <class S, class Solve>
Solved<S> solved(Solve const& solve, std::vector<S> const& b, std::vector<S> const& x0,
                 SolverOptions const& options) {
  auto const x = to_device(x0);
  auto report = solve(to_device(b), x, options);
  return {std::move(report), to_host(x)};
}
template <class S, class Solve>
Solved<S> solved(Solve const& solve, std::vector<S> const& b, SolverOptions const& options = {}) {
  return solved(solve, b, std::vector<S>(b.size()), options);
}

}  // namespace einkorn::test
