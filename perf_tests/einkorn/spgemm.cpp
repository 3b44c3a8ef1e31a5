// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/spgemm.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <memory>
#include <string>
#include <tuple>

namespace einkorn::perf {

namespace {

using Matrix = Csr<double, int, std::int64_t, Device>;

std::string note_of(SpgemmReport const& report) {
  std::string note = report.compressed_nnz_B > 0 ? "compressed columns" : "columns";
  auto const list = [&](char const* what, auto const& bins) {
    note += what;
    for (auto const rows : bins) note += " " + std::to_string(rows);
  };
  if (!is_gpu<Exec>) return note;
  if (report.num_row_classes > 0)
    note += "; " + std::to_string(report.num_row_classes) + " row classes" +
            (report.has_scatter_map ? ", scatter map" : "");
  list("; symbolic", report.symbolic_bins);
  list("; numeric", report.numeric_bins);
  if (report.num_recounted_rows > 0) note += "; recounted " + std::to_string(report.num_recounted_rows);
  return note;
}

void add_one(SpgemmBench& bench, std::string const& name, std::string const& note, SpgemmOptions options) {
  if (!bench.selection.wants("csr", name)) return;
  SpgemmRow row;
  row.algorithm = name;
  row.note = note;
  row.offset_bytes = sizeof(std::int64_t);
  bench.add(row, [&](SpgemmRow& built) {
    struct State {
      std::unique_ptr<SpgemmPlan<double, int, std::int64_t, Device>> plan;
      Matrix C;
    };
    options.checks = Checks::off;  // as the peers
    auto const state = std::make_shared<State>();
    auto const [exec, A, B] = std::tuple(bench.exec, bench.A, bench.B);
    auto const plan = [=] { return spgemm_symbolic<std::int64_t>(exec, A, B, options); };
    built.whole = [=] {
      state->plan = std::make_unique<SpgemmPlan<double, int, std::int64_t, Device>>(plan());
      state->C = spgemm_numeric(exec, *state->plan, A, B);
    };
    built.symbolic = [=] { (void)plan(); };
    built.numeric = [=] { spgemm_numeric(exec, *state->plan, A, B, state->C); };
    built.result = [=] { return ProductView{state->C.row_offsets, state->C.columns, state->C.values}; };
    built.release = [=] { *state = {}; };
  });
}

}  // namespace

void add_einkorn_spgemm(SpgemmBench& bench) {
  auto const plan = spgemm_symbolic<std::int64_t>(bench.exec, bench.A, bench.B);
  bench.products = plan.report().products;
  bench.entries = static_cast<std::uint64_t>(plan.nnz());
  auto const note = note_of(plan.report());
  add_one(bench, "automatic", note, {});
  if (!is_gpu<Exec>) return;
  SpgemmOptions one_by_one, unordered;
  one_by_one.row_classes = unordered.row_classes = SpgemmRowClasses::off;
  unordered.sums = SpgemmSums::unordered;
  auto const other_note =
      plan.report().num_row_classes == 0
          ? note
          : note_of(spgemm_symbolic<std::int64_t>(bench.exec, bench.A, bench.B, one_by_one).report());
  add_one(bench, "one_by_one", other_note, one_by_one);
  add_one(bench, "unordered", other_note, unordered);
}

}  // namespace einkorn::perf
