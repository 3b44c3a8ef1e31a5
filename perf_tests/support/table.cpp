// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/table.hpp"
#include "support/text.hpp"
#include "support/traffic.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

namespace einkorn::perf {

namespace {

/// Time, GFLOP/s (warm only), GB/s, fraction of copy; blank if not measured.
std::string figures(MatrixReport const& report, Candidate const& row, std::optional<double> seconds,
                    bool cold) {
  if (!seconds) return std::string(cold ? 29 : 37, ' ');
  double const flops = flops_per_entry(report.complex) * static_cast<double>(report.nnz) * report.columns;
  double const rate = static_cast<double>(row.bytes) / *seconds;
  return text("%12s", time_text(*seconds).c_str()) + (cold ? "" : text(" %7.1f", 1e-9 * flops / *seconds)) +
         text(" %8.1f %6.3f ", 1e-9 * rate, rate / report.copy_bytes_per_second);
}

/// Whether a row of this report was captured or refused to be.
bool has_graphs(MatrixReport const& report) {
  return std::any_of(report.results.begin(), report.results.end(), [](Result const& result) {
    return result.graph_seconds.has_value() || !result.graph_refusal.empty();
  });
}

std::string graph_text(Result const& result) {
  if (result.graph_seconds) return text("%12s", time_text(*result.graph_seconds).c_str());
  return text("%12s", "no graph");
}

void print_spmv(std::ostream& out, MatrixReport const& report) {
  bool const graphs = has_graphs(report);
  out << text("%-14s %-4s %-26s %8s%12s %7s %8s %6s %12s %8s %6s  %s%s\n", "", "", "", "must", "warm:", "", "",
              "of", "cold:", "", "of", graphs ? "    graph:   " : "", "error");
  out << text("%-14s %-4s %-26s %8s%12s %7s %8s %6s %12s %8s %6s  %s%s\n", "library", "", "algorithm",
              "move MB", "time", "GFLOP/s", "GB/s", "copy", "time", "GB/s", "copy",
              graphs ? "      time   " : "", "/|A||x|");
  for (auto const& result : report.results) {
    auto const& row = result.candidate;
    if (row.operation != "spmv") continue;
    out << text("%-14s %-4s %-26s ", row.library.c_str(), row.format.c_str(), row.algorithm.c_str());
    if (!row.refusal.empty()) {
      out << "  -  " << row.refusal << '\n';
      continue;
    }
    out << text("%8.1f", 1e-6 * static_cast<double>(row.bytes))
        << figures(report, row, result.warm_seconds, false) << figures(report, row, result.cold_seconds, true)
        << (graphs ? graph_text(result) : "") << text("  %.0e", result.error) << (result.wrong ? "  WRONG" : "")
        << (row.rounds_values() ? "  values rounded" : "") << (row.note.empty() ? "" : "  ") << row.note
        << (result.graph_refusal.empty() ? "" : "  ") << result.graph_refusal << '\n';
  }
}

/// Seconds of the fastest Einkorn SpMV of a format without rounded values; 0: none.
double best_seconds(MatrixReport const& report, std::string const& format) {
  double best = 0.0;
  for (auto const& result : report.results) {
    auto const& row = result.candidate;
    if (row.is_peer() || row.format != format || row.operation != "spmv" || !row.refusal.empty()) continue;
    if (row.rounds_values()) continue;
    double const seconds = result.warm_seconds.value_or(result.cold_seconds.value_or(0.0));
    if (seconds > 0.0 && (best == 0.0 || seconds < best)) best = seconds;
  }
  return best;
}

void print_conversions(std::ostream& out, MatrixReport const& report) {
  for (auto const& result : report.results) {
    auto const& row = result.candidate;
    if (row.operation == "select") out << text("select, %s: ", row.algorithm.c_str()) << row.note << '\n';
    if (row.operation != "conversion" || !result.warm_seconds) continue;
    double const spmv_seconds = best_seconds(report, row.format);
    out << text("%-14s %-4s %-28s %11s", "conversion", row.format.c_str(), row.algorithm.c_str(),
                time_text(*result.warm_seconds).c_str());
    if (spmv_seconds > 0.0)
      out << text("  %.2f SpMVs in %s (warm)", *result.warm_seconds / spmv_seconds, row.format.c_str());
    out << '\n';
  }
}

void print_best(std::ostream& out, MatrixReport const& report, char const* name,
                std::optional<double> Result::* seconds) {
  Result const* best[2] = {nullptr, nullptr};
  for (auto const& result : report.results) {
    auto const& row = result.candidate;
    if (row.operation != "spmv" || result.wrong || row.rounds_values() || !(result.*seconds)) continue;
    auto const*& fastest = best[row.is_peer() ? 1 : 0];
    if (!fastest || *(result.*seconds) < *(fastest->*seconds)) fastest = &result;
  }
  if (!best[0] || !best[1]) return;
  auto const& ours = best[0]->candidate;
  auto const& peer = best[1]->candidate;
  out << text("best %s: %s %s, %.2f times the speed of %s %s %s\n", name, ours.format.c_str(),
              ours.algorithm.c_str(), *(best[1]->*seconds) / *(best[0]->*seconds), peer.library.c_str(),
              peer.format.c_str(), peer.algorithm.c_str());
}

}  // namespace

void print_heading(std::ostream& out, Context const& context) {
  out << context.machine << "; " << context.backend << ", Kokkos " << context.kokkos_version << ", Einkorn "
      << context.commit
      << text(", last-level cache %.0f MB\n", 1e-6 * static_cast<double>(context.last_level_cache_bytes));
}

void print_table(std::ostream& out, MatrixReport const& report) {
  double const mean =
      report.rows == 0 ? 0.0 : static_cast<double>(report.nnz) / static_cast<double>(report.rows);
  out << text("\n%s: %zu x %zu, %zu entries (%.1f per row, longest %zu), %s, %s, %.1f MB in CSR\n",
              report.matrix.c_str(), report.rows, report.cols, report.nnz, mean, report.longest_row,
              report.scalar.c_str(), report.ordinal.c_str(), 1e-6 * static_cast<double>(report.csr_bytes));
  if (!report.layout.empty()) out << text("%d vectors, layout %s\n", report.columns, report.layout.c_str());
  out << text("copy %.1f GB/s, stream of 9 reads to 1 write %.1f GB/s, medians of the same %d rounds\n",
              1e-9 * report.copy_bytes_per_second, 1e-9 * report.stream_bytes_per_second, report.rounds);
  if (auto const floor = report.floor_seconds())
    out << text("random reads of x %.1f G/s; lower bound of CSR %s\n", 1e-9 * *report.gather_per_second,
                time_text(*floor).c_str());
  print_spmv(out, report);
  print_conversions(out, report);
  print_best(out, report, "warm", &Result::warm_seconds);
  print_best(out, report, "cold", &Result::cold_seconds);
  print_best(out, report, "in a graph", &Result::graph_seconds);
  out.flush();
}

}  // namespace einkorn::perf
