// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/json.hpp"
#include "support/solve_output.hpp"
#include "support/text.hpp"
#include "support/traffic.hpp"

#include <ostream>
#include <string>

namespace einkorn::perf {

namespace {

using Json = nlohmann::ordered_json;

Json record_of(Context const& context, SolveTable const& table, SolveResult const& result) {
  auto const& row = result.row;
  auto const bytes = result.bytes(table.method, table.rows),
             floor = result.floor_bytes(table.method, table.rows);
  MatrixCounts const counts{table.rows, table.rows, table.nnz, sizeof(double), sizeof(int), sizeof(int)};
  Json record{{"matrix", table.matrix},
              {"suite", table.suite},
              {"rows", table.rows},
              {"cols", table.rows},
              {"nnz", table.nnz},
              {"operation", name_of(table.method)},
              {"format", row.format},
              {"algorithm", row.execution + " " + row.fusion},
              {"library", row.library},
              {"peer", row.is_peer()},
              {"scalar", "double"},
              {"ordinal", "int32"},
              {"columns", 1},
              {"layout", ""},
              {"solver", name_of(table.method)},
              {"execution", row.execution},
              {"fusion", row.fusion},
              {"n", table.rows},
              {"iterations", table.iterations},
              {"time_per_iteration_us", nullptr},
              {"bytes_per_iteration", bytes},
              {"floor_bytes", floor},
              {"vectors", row.vectors},
              {"residual", nullptr},
              {"checked_iterations", table.checked_iterations},
              {"checked_residual", nullptr},
              {"reference_residual", nullptr},
              {"seconds", nullptr},
              {"spread", nullptr},
              {"bytes", bytes},
              {"csr_bytes", csr_bytes(counts)},
              {"gb_per_s", nullptr},
              {"copy_gb_per_s", 1e-9 * table.copy_bytes_per_second},
              {"stream_gb_per_s", 1e-9 * table.stream_bytes_per_second},
              {"fraction_of_copy", nullptr},
              {"floor_fraction_of_copy", nullptr},
              {"cold", false},
              {"temperature", "warm"},
              {"rounds", table.rounds},
              {"wrong", result.wrong},
              {"note", row.note},
              {"reason", row.refusal}};
  stamp(record, context);
  if (table.checked_iterations > 0) {
    record["reference_residual"] = table.reference_residual;
    record["checked_residual"] = result.checked_residual;
  }
  if (!result.seconds || !row.refusal.empty()) return record;
  if (!result.history.residuals.empty()) {
    record["history"] = result.history.residuals;
    record["history_outcome"] = result.history.outcome;
  }
  double const rate = static_cast<double>(bytes) / *result.seconds;
  record["time_per_iteration_us"] = 1e6 * *result.seconds;
  record["residual"] = result.residual;
  record["seconds"] = *result.seconds;
  if (result.spread) record["spread"] = *result.spread;
  record["gb_per_s"] = 1e-9 * rate;
  record["fraction_of_copy"] = rate / table.copy_bytes_per_second;
  record["floor_fraction_of_copy"] = static_cast<double>(floor) / *result.seconds / table.copy_bytes_per_second;
  return record;
}

std::string name_of_row(SolveRow const& row) {
  return row.library + " " + row.format + " " + row.execution + " " + row.fusion;
}

void print_row(std::ostream& out, SolveTable const& table, SolveResult const& result) {
  auto const& row = result.row;
  out << text("%-16s %-4s %-14s %-9s ", row.library.c_str(), row.format.c_str(), row.execution.c_str(),
              row.fusion.c_str());
  if (!row.refusal.empty() || !result.seconds) {
    out << "  -  " << (result.wrong ? "WRONG: " : "") << row.refusal << '\n';
    return;
  }
  auto const bytes = static_cast<double>(result.bytes(table.method, table.rows));
  auto const floor = static_cast<double>(result.floor_bytes(table.method, table.rows));
  out << text("%8.1f %12s %8.1f %6.3f %6.3f  %.2e  %s\n", 1e-6 * bytes, time_text(*result.seconds).c_str(),
              1e-9 * bytes / *result.seconds, bytes / *result.seconds / table.copy_bytes_per_second,
              floor / *result.seconds / table.copy_bytes_per_second, result.residual, row.note.c_str());
}

void print_histories(std::ostream& out, SolveTable const& table) {
  for (auto const& result : table.results) {
    auto const& residuals = result.history.residuals;
    if (residuals.empty() || !result.row.refusal.empty()) continue;
    out << text("history: %s: %s after %zu iterations at %.2e\n", name_of_row(result.row).c_str(),
                result.history.outcome.c_str(), residuals.size() - 1, residuals.back());
  }
}

void print_best(std::ostream& out, SolveTable const& table) {
  SolveResult const* best[2] = {nullptr, nullptr};
  for (auto const& result : table.results) {
    if (!result.seconds || !result.row.refusal.empty()) continue;
    auto const*& fastest = best[result.row.is_peer() ? 1 : 0];
    if (!fastest || *result.seconds < *fastest->seconds) fastest = &result;
  }
  if (!best[0] || !best[1]) return;
  out << text("best: %s, %.2f times the speed of %s\n", name_of_row(best[0]->row).c_str(),
              *best[1]->seconds / *best[0]->seconds, name_of_row(best[1]->row).c_str());
}

}  // namespace

Json records_of(Context const& context, SolveTable const& table) {
  Json records = Json::array();
  for (auto const& result : table.results) records.push_back(record_of(context, table, result));
  return records;
}

void print_table(std::ostream& out, SolveTable const& table) {
  double const mean = table.rows == 0 ? 0.0 : static_cast<double>(table.nnz) / static_cast<double>(table.rows);
  out << text("\n%s: %zu x %zu, %zu entries (%.1f per row), double, int32\n", table.matrix.c_str(), table.rows,
              table.rows, table.nnz, mean);
  out << text("%s, %d iterations per solve", name_of(table.method), table.iterations);
  if (table.checked_iterations > 0)
    out << text("; after %d the residual is %.2e in long double, rows beyond a factor of 2 are refused",
                table.checked_iterations, table.reference_residual);
  out << text("\ncopy %.1f GB/s, stream of 9 reads to 1 write %.1f GB/s, medians of the same %d rounds\n",
              1e-9 * table.copy_bytes_per_second, 1e-9 * table.stream_bytes_per_second, table.rounds);
  out << text("%-45s  %8s %12s %8s %6s %6s  %s\n", "", "moves", "time per", "", "of", "floor:", "");
  out << text("%-16s %-4s %-14s %-9s %8s %12s %8s %6s %6s  %s\n", "library", "", "execution", "fusion", "MB",
              "iteration", "GB/s", "copy", "of copy", "residual");
  for (auto const& result : table.results) print_row(out, table, result);
  print_histories(out, table);
  print_best(out, table);
  out.flush();
}

}  // namespace einkorn::perf
