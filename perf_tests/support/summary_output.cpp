// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/summary.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>

namespace einkorn::perf {

namespace {

std::string name_of(Result const& result) {
  auto const& row = result.candidate;
  return (row.is_peer() ? row.library + " " : "") + row.format + " " + row.algorithm;
}

std::string percent(double fraction) {
  return text("%.0f %%", std::ceil(100.0 * fraction));
}

double of_copy(MatrixReport const& report, Result const& result) {
  return static_cast<double>(result.candidate.bytes) / *time_of(result) / report.copy_bytes_per_second;
}

/// "1.34 times as fast as X" or "equal to X within 4 %".
std::string compared(Result const& fast, Result const& slow, char const* name) {
  double const ratio = *time_of(slow) / *time_of(fast), noise = noise_of(fast, slow);
  if (std::max(ratio, 1.0 / ratio) <= 1.0 + noise)
    return text("equal to %s within %s", name, percent(noise).c_str());
  return ratio >= 1.0 ? text("%.2f times as fast as %s", ratio, name)
                      : text("%.2f times as slow as %s", 1.0 / ratio, name);
}

std::string csr_text(MatrixReport const& report, Summary const& summary) {
  if (!summary.now) return "CSR could not be measured";
  auto const& now = *summary.now;
  double const rate = static_cast<double>(now.candidate.bytes) / *time_of(now);
  return text("CSR %s: %s, %.1f GB/s, %.2f of copy (%.1f GB/s)", now.candidate.algorithm.c_str(),
              time_text(*time_of(now)).c_str(), 1e-9 * rate, of_copy(report, now),
              1e-9 * report.copy_bytes_per_second);
}

std::string equals_text(Summary const& summary) {
  std::string formats;
  for (auto const* const equal : summary.equals)
    formats += (formats.empty() ? "" : ", ") + equal->candidate.format;
  if (formats.empty()) return "";
  double noise = 0;
  for (auto const* const equal : summary.equals) noise = std::max(noise, noise_of(*equal, *summary.best));
  return "; equal within " + percent(noise) + ": " + formats;
}

std::string best_text(Summary const& summary) {
  if (!summary.best) return "nothing could be measured";
  if (summary.best == summary.now) return "CSR kept: nothing measured was faster" + equals_text(summary);
  auto line = name_of(*summary.best) + ": " + time_text(*time_of(*summary.best));
  if (summary.now)
    line +=
        text(", %.2f times as fast as CSR (rounds vary by %s)", summary.gain, percent(summary.noise).c_str());
  return line + equals_text(summary);
}

std::string pays_text(Summary const& summary) {
  if (!summary.best || summary.best == summary.now) return "nothing to convert";
  if (summary.best->candidate.format == "csr") return "at once: another kernel over the same arrays";
  if (!summary.conversion || !summary.now) return "the conversion was not measured";
  double const seconds = *time_of(*summary.conversion);
  double const products = std::ceil(*summary.pays_after);
  return text("after %.0f product%s: the conversion takes %s, %.1f products in CSR", products,
              products == 1 ? "" : "s", time_text(seconds).c_str(), seconds / *time_of(*summary.now));
}

std::string peers_text(Summary const& summary) {
  if (!summary.peer) return "none could be run; --all --peers shows the reasons";
  auto const line = name_of(*summary.peer) + ": " + time_text(*time_of(*summary.peer));
  return summary.best ? line + "; Einkorn is " + compared(*summary.best, *summary.peer, "the peer") : line;
}

std::string select_text(Summary const& summary) {
  if (!summary.selected) return "not run";
  auto const& format = *summary.selected;
  if (!summary.selected_row) return format + ", not measured; --all shows the reason";
  if (!summary.best || summary.selected_row == summary.best) return format + ", the best";
  return format + ", " + compared(*summary.selected_row, *summary.best, "the best");
}

void print_explanation(std::ostream& out, MatrixReport const& report, Summary const& summary) {
  if (!summary.now || !summary.best) return;
  auto const& now = summary.now->candidate;
  auto const& best = summary.best->candidate;
  double const csr = 1e-6 * static_cast<double>(now.bytes), copy = report.copy_bytes_per_second;
  out << text("  A product in CSR moves at least %.1f MB, which take %s at the copy bandwidth; CSR takes %s.\n",
              csr, time_text(static_cast<double>(now.bytes) / copy).c_str(),
              time_text(*time_of(*summary.now)).c_str());
  auto const finding = report.findings.find(best.format);
  auto const reason = finding == report.findings.end() ? best.note : finding->second;
  if (summary.best == summary.now)
    out << text("  No format has fewer bytes and a kernel as fast for this structure (%s).\n",
                report.structure.c_str());
  else if (double const byte_ratio = static_cast<double>(best.bytes) / static_cast<double>(now.bytes);
           byte_ratio < 0.98)
    out << text("  %s moves %.2f of these bytes (%s).\n", best.format.c_str(), byte_ratio, reason.c_str());
  else
    out << text("  %s moves no fewer bytes (%.2f of these; %s): its kernel is faster.\n", best.format.c_str(),
                byte_ratio, reason.c_str());
  double const reached = of_copy(report, *summary.best);
  out << text("  The best reaches %.2f of the copy: %s.\n", reached,
              reached > 1.2   ? "the matrix stays in the caches; the limit is the instruction rate"
              : reached > 0.7 ? "memory bandwidth is the limit; only fewer bytes would be faster"
                              : "the limit is not bandwidth but scattered columns, short rows or uneven rows");
}

}  // namespace

void print_summary(std::ostream& out, MatrixReport const& report, SummaryStyle const& style) {
  auto const summary = summarize(report);
  double const mean =
      report.rows == 0 ? 0.0 : static_cast<double>(report.nnz) / static_cast<double>(report.rows);
  out << '\n'
      << report.matrix
      << text(": %zu x %zu, %zu entries, %.1f per row (longest %zu)\n", report.rows, report.cols, report.nnz,
              mean, report.longest_row)
      << "  what    " << report.structure
      << text("; %.1f MB in CSR, %s, %s\n", 1e-6 * static_cast<double>(report.csr_bytes), report.scalar.c_str(),
              report.ordinal.c_str())
      << "  now     " << csr_text(report, summary) << '\n'
      << "  best    " << best_text(summary) << '\n'
      << "  pays    " << pays_text(summary) << '\n'
      << "  select  " << select_text(summary) << '\n';
  if (summary.noise > busy_spread)
    out << "  noise   the rounds vary by " << percent(summary.noise) << ": measure again on an idle machine\n";
  if (style.peers) out << "  peers   " << peers_text(summary) << '\n';
  for (auto const& result : report.results)
    if (result.wrong) out << "  WRONG   " << name_of(result) << '\n';
  if (style.explain) print_explanation(out, report, summary);
  out.flush();
}

SummaryLine summary_line(MatrixReport const& report) {
  auto const summary = summarize(report);
  SummaryLine line{report.matrix, "-", "-", "-", "-", "-", summary.selected.value_or("-")};
  if (summary.now) {
    line.now = time_text(*time_of(*summary.now));
    line.of_copy = text("%.2f", of_copy(report, *summary.now));
  }
  if (!summary.best) return line;
  line.best = name_of(*summary.best);
  line.gain = summary.best == summary.now ? "equal" : text("%.2f", summary.gain);
  if (summary.pays_after) line.pays = text("%.0f", std::ceil(*summary.pays_after));
  return line;
}

void print_summary_table(std::ostream& out, std::vector<SummaryLine> const& lines) {
  std::vector<std::vector<std::string>> rows{
      {"matrix", "CSR now", "of copy", "best", "gain", "pays after", "select"}};
  for (auto const& line : lines)
    rows.push_back({line.matrix, line.now, line.of_copy, line.best, line.gain, line.pays, line.selected});
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  out << '\n';
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string const pad(widths[i] - row[i].size(), ' ');
      bool const is_text = i == 0 || i == 3 || i + 1 == row.size();
      line += (i > 0 ? "  " : "") + (is_text ? row[i] + pad : pad + row[i]);
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  out.flush();
}

}  // namespace einkorn::perf
