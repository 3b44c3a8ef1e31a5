// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>

namespace einkorn::perf {

void add_dia_solvers(SolveBench& bench) {
  add_rows_of_format(bench, "dia", [exec = bench.exec](auto const& A) { return from_csr<Dia>(exec, A); });
}

}  // namespace einkorn::perf
