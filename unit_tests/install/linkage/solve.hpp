// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace linkage {

/// Iterations of CG for a 7-point stencil on n x n x n; in each file of the program and of the library.
int solve_in_main(int n);
int solve_in_second(int n);
int solve_in_library(int n);

}  // namespace linkage
