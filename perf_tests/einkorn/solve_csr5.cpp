// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

namespace einkorn::perf {

void add_csr5_solvers(SolveBench& bench) {
  add_rows_of_format(bench, "csr5", [exec = bench.exec](auto const& A) { return from_csr<Csr5>(exec, A); });
}

}  // namespace einkorn::perf
