// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/answer.hpp"

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

Answer answer_of(MatrixReport const& report) {
  Answer answer;
  for (auto const& result : report.results) {
    if (result.candidate.is_default && is_comparable(result)) answer.now = &result;
    if (result.candidate.operation == "select" && result.candidate.algorithm == "by model")
      answer.selected = result.candidate.format;
  }
  answer.best = fastest(report, false);
  answer.peer = fastest(report, true);
  if (!answer.best) return answer;
  if (answer.now && are_equal(*answer.now, *answer.best)) answer.best = answer.now;
  answer.equals = equals_of(report, *answer.best);
  if (answer.now) {
    answer.gain = *time_of(*answer.now) / *time_of(*answer.best);
    answer.noise = noise_of(*answer.now, *answer.best);
  }
  answer.conversion = conversion_to(report, answer.best->candidate);
  if (answer.now && answer.conversion && answer.best != answer.now)
    answer.pays_after = *time_of(*answer.conversion) / (*time_of(*answer.now) - *time_of(*answer.best));
  for (auto const& result : report.results)  // the first row of a format has default options
    if (!answer.selected_row && is_comparable(result) && !result.candidate.is_peer() &&
        result.candidate.format == answer.selected)
      answer.selected_row = &result;
  return answer;
}

}  // namespace einkorn::perf
