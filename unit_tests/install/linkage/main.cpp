// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve.hpp"

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int const iterations = linkage::solve(10);
  bool const equal = linkage::solve_in_second(10) == iterations && linkage::solve_in_library(10) == iterations;
  return iterations > 0 && equal ? 0 : 1;
}
