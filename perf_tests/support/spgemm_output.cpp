// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/json.hpp"
#include "support/spgemm.hpp"
#include "support/text.hpp"

#include <ostream>
#include <string>

namespace einkorn::perf {

namespace {

using Json = nlohmann::ordered_json;

/// Bytes of A, B and C, each counted once.
double compulsory_bytes(SpgemmTable const& table) {
  return 12.0 * (2.0 * static_cast<double>(table.nnz) + static_cast<double>(table.entries));
}

double bytes_of_C(SpgemmTable const& table, SpgemmRow const& row) {
  return static_cast<double>(row.offset_bytes * (table.rows + 1)) + 12.0 * static_cast<double>(table.entries);
}

Json record_of(Context const& context, SpgemmTable const& table, SpgemmResult const& result,
               char const* operation, std::optional<double> const& seconds) {
  auto const& row = result.row;
  Json record{{"matrix", table.matrix},
              {"suite", table.suite},
              {"product", table.product},
              {"rows", table.rows},
              {"cols", table.cols},
              {"nnz", table.nnz},
              {"products", table.products},
              {"entries_of_C", table.entries},
              {"operation", operation},
              {"format", "csr"},
              {"algorithm", row.algorithm},
              {"library", row.library},
              {"peer", row.is_peer()},
              {"scalar", "double"},
              {"ordinal", "int32"},
              {"columns", 1},
              {"layout", ""},
              {"seconds", nullptr},
              {"spread", nullptr},
              {"gflops", nullptr},
              {"bytes", compulsory_bytes(table)},
              {"high_water", nullptr},
              {"high_water_of_C", nullptr},
              {"error", nullptr},
              {"cold", false},
              {"temperature", "warm"},
              {"rounds", table.rounds},
              {"wrong", result.wrong},
              {"note", row.note},
              {"reason", row.refusal}};
  stamp(record, context);
  if (result.error) record["error"] = *result.error;
  if (!seconds || !row.refusal.empty()) return record;
  record["seconds"] = *seconds;
  if (result.spread && std::string(operation) == "spgemm") record["spread"] = *result.spread;
  record["gflops"] = 2e-9 * static_cast<double>(table.products) / *seconds;
  if (result.high_water) {
    record["high_water"] = *result.high_water;
    record["high_water_of_C"] = static_cast<double>(*result.high_water) / bytes_of_C(table, row);
  }
  return record;
}

std::string time_or_dash(std::optional<double> const& seconds) {
  return seconds ? time_text(*seconds) : "-";
}

void print_row(std::ostream& out, SpgemmTable const& table, SpgemmResult const& result) {
  auto const& row = result.row;
  out << text("%-15s %-14s ", row.library.c_str(), row.algorithm.c_str());
  if (!row.refusal.empty() || !result.whole) {
    out << "  -  " << (result.wrong ? "WRONG: " : "") << row.refusal << '\n';
    return;
  }
  out << text("%12s %8.2f %12s %12s ", time_text(*result.whole).c_str(),
              2e-9 * static_cast<double>(table.products) / *result.whole, time_or_dash(result.symbolic).c_str(),
              time_or_dash(result.numeric).c_str());
  if (result.high_water) {
    auto const bytes = static_cast<double>(*result.high_water);
    out << text("%8.1f %7.3f ", 1e-6 * bytes, bytes / bytes_of_C(table, row));
  } else {
    out << text("%8s %7s ", "-", "-");
  }
  out << text("%8s  %s\n", result.error ? text("%.0e", *result.error).c_str() : "-", row.note.c_str());
}

void print_best(std::ostream& out, SpgemmTable const& table) {
  SpgemmResult const* best[2] = {nullptr, nullptr};
  for (auto const& result : table.results) {
    if (!result.whole || !result.row.refusal.empty()) continue;
    auto const*& fastest = best[result.row.is_peer() ? 1 : 0];
    if (!fastest || *result.whole < *fastest->whole) fastest = &result;
  }
  if (!best[0] || !best[1]) return;
  out << text("best: %s, %.2f times the speed of %s %s\n", best[0]->row.algorithm.c_str(),
              *best[1]->whole / *best[0]->whole, best[1]->row.library.c_str(), best[1]->row.algorithm.c_str());
}

}  // namespace

Json records_of(Context const& context, SpgemmTable const& table) {
  Json records = Json::array();
  for (auto const& result : table.results) {
    records.push_back(record_of(context, table, result, "spgemm", result.whole));
    if (result.symbolic)
      records.push_back(record_of(context, table, result, "spgemm_symbolic", result.symbolic));
    if (result.numeric) records.push_back(record_of(context, table, result, "spgemm_numeric", result.numeric));
  }
  return records;
}

void print_table(std::ostream& out, SpgemmTable const& table) {
  out << text(
      "\n%s: C = %s, A %zu x %zu with %zu entries; %llu products, %llu entries of C, %.2f products per entry\n",
      table.matrix.c_str(), table.product.c_str(), table.rows, table.cols, table.nnz,
      static_cast<unsigned long long>(table.products), static_cast<unsigned long long>(table.entries),
      static_cast<double>(table.products) / static_cast<double>(table.entries == 0 ? 1 : table.entries));
  out << text("%-30s %12s %8s %12s %12s %8s %7s %8s\n", "", "", "", "", "", "beside C", "of", "");
  out << text("%-15s %-14s %12s %8s %12s %12s %8s %7s %8s\n", "library", "algorithm", "whole", "GFLOP/s",
              "symbolic", "numeric", "MB", "C", "error");
  for (auto const& result : table.results) print_row(out, table, result);
  print_best(out, table);
  out.flush();
}

}  // namespace einkorn::perf
