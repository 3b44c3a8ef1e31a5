// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/summary.hpp"

#include <algorithm>

namespace einkorn::perf {

namespace {

bool is_comparable(Result const& result) {
  auto const& row = result.candidate;
  return row.operation == "spmv" && !result.wrong && !row.rounds_values() && time_of(result).has_value();
}

Result const* fastest(MatrixReport const& report, bool peers) {
  Result const* best = nullptr;
  for (auto const& result : report.results)
    if (is_comparable(result) && result.candidate.is_peer() == peers &&
        (!best || time_of(result) < time_of(*best)))
      best = &result;
  return best;
}

bool are_equal(Result const& a, Result const& b) {
  double const ratio = *time_of(a) / *time_of(b);
  return std::max(ratio, 1.0 / ratio) <= 1.0 + noise_of(a, b);
}

double spread_of(Result const& result) {
  return (result.warm_seconds ? result.warm_spread : result.cold_spread).value_or(0.0);
}

/// The fastest row of every other format that equals the best within the noise. Rows with a spread above
/// busy_spread and above that of the best are left out.
std::vector<Result const*> equals_of(MatrixReport const& report, Result const& best) {
  std::vector<Result const*> equals;
  for (auto const& result : report.results) {
    auto const& row = result.candidate;
    if (!is_comparable(result) || row.is_peer() || row.format == best.candidate.format ||
        !are_equal(result, best))
      continue;
    if (spread_of(result) > std::max(busy_spread, spread_of(best))) continue;
    auto const same = std::find_if(equals.begin(), equals.end(),
                                   [&](auto const* known) { return known->candidate.format == row.format; });
    if (same == equals.end())
      equals.push_back(&result);
    else if (time_of(result) < time_of(**same))
      *same = &result;
  }
  return equals;
}

Result const* conversion_to(MatrixReport const& report, Candidate const& row) {
  for (auto const& result : report.results) {
    auto const& conversion = result.candidate;
    if (conversion.operation == "conversion" && conversion.format == row.format &&
        conversion.converts_to == row.algorithm && time_of(result))
      return &result;
  }
  return nullptr;
}

}  // namespace

std::optional<double> time_of(Result const& result) {
  return result.warm_seconds ? result.warm_seconds : result.cold_seconds;
}

double noise_of(Result const& a, Result const& b) {
  return std::max({spread_of(a), spread_of(b), 0.02});
}

Summary summarize(MatrixReport const& report) {
  Summary summary;
  for (auto const& result : report.results) {
    if (result.candidate.is_default && is_comparable(result)) summary.now = &result;
    if (result.candidate.operation == "select" && result.candidate.algorithm == "by model")
      summary.selected = result.candidate.format;
  }
  summary.best = fastest(report, false);
  summary.peer = fastest(report, true);
  if (!summary.best) return summary;
  if (summary.now && are_equal(*summary.now, *summary.best)) summary.best = summary.now;
  summary.equals = equals_of(report, *summary.best);
  if (summary.now) {
    summary.gain = *time_of(*summary.now) / *time_of(*summary.best);
    summary.noise = noise_of(*summary.now, *summary.best);
  }
  summary.conversion = conversion_to(report, summary.best->candidate);
  if (summary.now && summary.conversion && summary.best != summary.now)
    summary.pays_after = *time_of(*summary.conversion) / (*time_of(*summary.now) - *time_of(*summary.best));
  for (auto const& result : report.results)  // the first row of a format has default options
    if (!summary.selected_row && is_comparable(result) && !result.candidate.is_peer() &&
        result.candidate.format == summary.selected)
      summary.selected_row = &result;
  return summary;
}

}  // namespace einkorn::perf
