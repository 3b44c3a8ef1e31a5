// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"
#include "every_solver.hpp"
#include "solved.hpp"

#include <cctype>
#include <string>
#include <vector>

namespace einkorn::test {

/// solver on A, b from x0, on the host.
inline Solved<double> run(Solver const& solver, HostMatrix<double> const& A, std::vector<double> const& b,
                          std::vector<double> const& x0, SolverOptions const& options = {}) {
  auto const device_A = A.on_device();
  return solved([&](auto const& given_b, auto const& x,
                    auto const& given) { return solver.solve(device_A, given_b, x, given); },
                b, x0, options);
}

/// The letters and digits of a solver's name, for the name of a test.
inline std::string test_name_of(Solver const& solver) {
  std::string name;
  for (char const c : solver.name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

}  // namespace einkorn::test
