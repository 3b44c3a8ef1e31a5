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
  std::string note = report.words_of_B > 0 ? "words" : "columns";
  auto const list = [&](char const* what, auto const& bins) {
    note += what;
    for (auto const rows : bins) note += " " + std::to_string(rows);
  };
  if (!is_gpu<Exec>) return note;
  if (report.kinds_of_rows > 0)
    note += "; " + std::to_string(report.kinds_of_rows) + " kinds of rows" +
            (report.places_known ? ", placed" : "");
  list("; columns", report.rows_by_columns);
  list("; sums", report.rows_by_sums);
  if (report.rows_again > 0) note += "; again " + std::to_string(report.rows_again);
  return note;
}

void add_one(SpgemmBench& bench, std::string const& name, std::string const& note, SpgemmOptions options) {
  if (!bench.selection.wants("csr", name)) return;
  SpgemmRow row;
  row.algorithm = name;
  row.note = note;
  row.offset_bytes = sizeof(std::int64_t);
  bench.add(row, [&](SpgemmRow& built) {
    struct Kept {
      std::unique_ptr<SpgemmPlan<double, int, std::int64_t, Device>> plan;
      Matrix C;
    };
    options.checks = Checks::off;  // the peers do not look either
    auto const kept = std::make_shared<Kept>();
    auto const [exec, A, B] = std::tuple(bench.exec, bench.A, bench.B);
    auto const plan = [=] { return spgemm_symbolic<std::int64_t>(exec, A, B, options); };
    built.whole = [=] {
      kept->plan = std::make_unique<SpgemmPlan<double, int, std::int64_t, Device>>(plan());
      kept->C = spgemm_numeric(exec, *kept->plan, A, B);
    };
    built.symbolic = [=] { (void)plan(); };
    built.numeric = [=] { spgemm_numeric(exec, *kept->plan, A, B, kept->C); };
    built.result = [=] { return ProductView{kept->C.row_offsets, kept->C.columns, kept->C.values}; };
    built.forget = [=] { *kept = {}; };
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
  one_by_one.row_classes = unordered.row_classes = SpgemmRowClasses::one_by_one;
  unordered.sums = SpgemmSums::unordered;
  auto const other_note =
      plan.report().kinds_of_rows == 0
          ? note
          : note_of(spgemm_symbolic<std::int64_t>(bench.exec, bench.A, bench.B, one_by_one).report());
  add_one(bench, "one_by_one", other_note, one_by_one);
  add_one(bench, "unordered", other_note, unordered);
}

}  // namespace einkorn::perf
