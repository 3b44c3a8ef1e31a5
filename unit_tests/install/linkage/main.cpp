// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve.hpp"

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/solvers/cg.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

int linkage::solve_in_main(int n) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  auto const A =
      einkorn::generate<double, int, int, Exec::device_type>(exec, "gen:stencil7:" + std::to_string(n));
  Kokkos::View<double*, Exec> const b("b", static_cast<std::size_t>(A.num_rows)), x("x", b.extent(0));
  Kokkos::deep_copy(b, 1.0);
  auto const report = einkorn::cg(exec, A, b, x);
  return report.converged() ? static_cast<int>(report.iterations) : -1;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const iterations = linkage::solve_in_main(10);
  return iterations > 0 && linkage::solve_in_second(10) == iterations &&
                 linkage::solve_in_library(10) == iterations
             ? 0
             : 1;
}
