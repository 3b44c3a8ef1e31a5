// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>

namespace einkorn::perf {

void add_bdia_solvers(SolveBench& bench) {
  add_rows_of_format(bench, "bdia", [exec = bench.exec](auto const& A) { return from_csr<Bdia>(exec, A); });
}

}  // namespace einkorn::perf
