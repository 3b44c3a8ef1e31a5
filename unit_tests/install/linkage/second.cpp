// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve.hpp"

int linkage::solve_in_second(int n) {
  return solve(n);
}
