// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/measure.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

/// The summary of a measured matrix. Pointers refer to the report. Times are warm, or cold if only cold times
/// were measured.
struct Summary {
  Result const* now = nullptr;   // CSR with the algorithm that a plan chooses; null: not measured
  Result const* best = nullptr;  // fastest Einkorn row; CSR unless another is faster by more than the noise
  std::vector<Result const*> equals;   // other Einkorn formats within the noise of the best
  Result const* conversion = nullptr;  // conversion to the best format
  double gain = 1;                     // time of `now` over time of `best`
  double noise = 0;                    // noise_of(now, best)
  std::optional<double> pays_after;    // break-even number of products; empty: no conversion, or not measured
  Result const* peer = nullptr;        // the fastest peer
  std::optional<std::string> selected = {};  // format that select() chooses by its model
  Result const* selected_row = nullptr;      // the first row of that format: default options
};

Summary summarize(MatrixReport const& report);

/// Seconds of a result: warm, else cold, else empty.
std::optional<double> time_of(Result const& result);

/// The larger spread of the two, at least 2 %: the variation of one matrix between memory locations.
double noise_of(Result const& a, Result const& b);

/// A spread above this value means that other programs use the machine.
inline constexpr double busy_spread = 0.3;

struct SummaryStyle {
  bool peers = false, explain = false;
};

/// Prints a heading and five lines: pattern, CSR, best format, break-even number of products, choice of
/// select(). @param style peers: also the fastest peer; explain: also three sentences
void print_summary(std::ostream& out, MatrixReport const& report, SummaryStyle const& style);

/// One line of the final table of several matrices.
struct SummaryLine {
  std::string matrix, now, of_copy, best, gain, pays, selected;
};
SummaryLine summary_line(MatrixReport const& report);
void print_summary_table(std::ostream& out, std::vector<SummaryLine> const& lines);

}  // namespace einkorn::perf
