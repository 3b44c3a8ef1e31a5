// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

namespace einkorn::perf {

void add_csr_solvers(SolveBench& bench) {
  add_rows_of_format(bench, "csr", [](auto const& A) { return A; });
}

}  // namespace einkorn::perf
