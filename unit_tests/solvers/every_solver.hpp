// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/types.hpp"

#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace einkorn::test {

using Matrix = Csr<double, int, int, Device>;
using Vector = Kokkos::View<double*, Device>;

/// A solver in one of the ways in which it can be run, behind one signature.
struct Solver {
  std::string name;
  std::function<SolveReport(Matrix const&, Vector const& b, Vector const& x, SolverOptions const&)> solve;
  bool takes_callback = true;

  friend std::ostream& operator<<(std::ostream& out, Solver const& solver) { return out << solver.name; }
};

/// CG: fused, persistent, classical; PCG with a diagonal that it sees, and one that it does not; BiCGStab with
/// and without a preconditioner; GMRES with and without one, flexible GMRES with one; on a GPU CG and BiCGStab as
/// graphs. Preconditioners: 1 / |a_ii|, or 1 where that is not finite.
std::vector<Solver> const& every_solver();

}  // namespace einkorn::test
