// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace linkage {

/// Iterations of CG for a 7-point stencil on n x n x n. Each file that calls it compiles its kernels.
inline int solve(int n) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  auto const A =
      einkorn::generate<double, int, int, Exec::device_type>(exec, "gen:stencil7:" + std::to_string(n));
  Kokkos::View<double*, Exec> const b("b", static_cast<std::size_t>(A.num_rows)), x("x", b.extent(0));
  Kokkos::deep_copy(b, 1.0);
  auto const report = einkorn::cg(exec, A, b, x);
  return report.converged() ? static_cast<int>(report.iterations) : -1;
}

/// solve(), called from another file of the program and from the shared library.
int solve_in_second(int n);
int solve_in_library(int n);

}  // namespace linkage
