// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

namespace einkorn::perf {

void add_sell_solvers(SolveBench& bench) {
  add_rows_of_format(bench, "sell", [exec = bench.exec](auto const& A) { return from_csr<Sell>(exec, A); });
}

}  // namespace einkorn::perf
