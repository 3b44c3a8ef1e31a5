// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "fusion_stages.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

namespace einkorn::perf {

void add_fusion_stages(SolveBench& bench) {
  if (bench.selection.wants("csr", "fused"))
    add_fusion_stages_of(bench, "csr", [](auto const& A) { return A; });
  if (bench.selection.wants("sell", "fused"))
    add_fusion_stages_of(bench, "sell", [exec = bench.exec](auto const& A) { return from_csr<Sell>(exec, A); });
}

}  // namespace einkorn::perf
