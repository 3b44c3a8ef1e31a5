// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve_rows.hpp"

namespace einkorn::perf {

void add_einkorn_solvers(SolveBench& bench) {
  auto const wants = [&](char const* format) { return bench.selection.wants(format, "fused"); };
  if (wants("csr")) add_csr_solvers(bench);
  if (wants("csr5")) add_csr5_solvers(bench);
  if (wants("sell")) add_sell_solvers(bench);
  if (wants("dia")) add_dia_solvers(bench);
  if (wants("bdia")) add_bdia_solvers(bench);
}

}  // namespace einkorn::perf
