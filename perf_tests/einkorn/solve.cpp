// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/solve.hpp"

namespace einkorn::perf {

/// A row a format that bench.selection wants, an execution and a fusion: bench.add(row, build), where build
/// sets matrix_bytes (operator_bytes.hpp), vectors, and solve.
void add_einkorn_solvers(SolveBench&) {}

}  // namespace einkorn::perf
