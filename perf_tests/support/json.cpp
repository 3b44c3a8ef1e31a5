// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "support/json.hpp"
#include "support/traffic.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace einkorn::perf {

namespace {

using Json = nlohmann::ordered_json;

Json record_of(Context const& context, MatrixReport const& report, Result const& result,
               std::optional<double> seconds, std::optional<double> spread, std::string const& temperature) {
  auto const& row = result.candidate;
  bool const multiplies = row.operation == "spmv";
  Json record{{"matrix", report.matrix},
              {"suite", report.suite},
              {"rows", report.rows},
              {"cols", report.cols},
              {"nnz", report.nnz},
              {"operation", row.operation},
              {"format", row.format},
              {"algorithm", row.algorithm},
              {"library", row.library},
              {"peer", row.is_peer()},
              {"scalar", report.scalar},
              {"ordinal", report.ordinal},
              {"columns", report.columns},
              {"layout", report.layout},
              {"seconds", nullptr},
              {"spread", nullptr},
              {"gflops", nullptr},
              {"bytes", row.bytes},
              {"csr_bytes", report.csr_bytes},
              {"gb_per_s", nullptr},
              {"copy_gb_per_s", 1e-9 * report.copy_bytes_per_second},
              {"stream_gb_per_s", 1e-9 * report.stream_bytes_per_second},
              {"fraction_of_copy", nullptr},
              {"cold", temperature == "cold"},
              {"temperature", temperature},
              {"gather_per_s", nullptr},
              {"floor_seconds", nullptr},
              {"rounds", report.rounds},
              {"error", nullptr},
              {"wrong", result.wrong},
              {"rounded_values", row.rounds_values()},
              {"note", row.note},
              {"reason", row.refusal}};
  stamp(record, context);
  if (report.gather_per_second) record["gather_per_s"] = *report.gather_per_second;
  if (auto const floor = report.floor_seconds()) record["floor_seconds"] = *floor;
  if (!seconds) return record;
  double const rate = static_cast<double>(row.bytes) / *seconds;
  record["seconds"] = *seconds;
  if (spread) record["spread"] = *spread;
  record["gb_per_s"] = 1e-9 * rate;
  record["fraction_of_copy"] = rate / report.copy_bytes_per_second;
  if (multiplies) {
    record["gflops"] =
        1e-9 * flops_per_entry(report.complex) * static_cast<double>(report.nnz) * report.columns / *seconds;
    record["error"] = result.error;
  }
  return record;
}

}  // namespace

Json records_of(Context const& context, MatrixReport const& report) {
  Json records = Json::array();
  for (auto const& result : report.results) {
    if (result.warm_seconds)
      records.push_back(record_of(context, report, result, result.warm_seconds, result.warm_spread, "warm"));
    if (result.cold_seconds)
      records.push_back(record_of(context, report, result, result.cold_seconds, result.cold_spread, "cold"));
    if (result.graph_seconds)
      records.push_back(record_of(context, report, result, result.graph_seconds, result.graph_spread, "graph"));
    if (!result.graph_refusal.empty() && result.candidate.refusal.empty()) {
      Json refused = record_of(context, report, result, {}, {}, "graph");
      refused["reason"] = result.graph_refusal;
      records.push_back(refused);
    }
    if (!result.warm_seconds && !result.cold_seconds && !result.graph_seconds)
      records.push_back(record_of(context, report, result, {}, {}, "warm"));
  }
  return records;
}

void require_writable(std::string const& option, std::string const& path) {
  errno = 0;
  bool const existed = std::filesystem::exists(path);
  std::ofstream const file(path, std::ios::app);
  if (!file) program::fail_to_write(option + " " + path);
  if (!existed) std::filesystem::remove(path);
}

void write_json(std::string const& path, Json const& records) {
  program::write_text_file(path, records.dump(1) + '\n');
}

}  // namespace einkorn::perf
