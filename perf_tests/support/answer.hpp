// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/measure.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace einkorn::perf {

/// What a measured matrix comes to. Pointers lead into the report. Times are warm, or cold where nothing was
/// measured warm.
struct Answer {
  Result const* now = nullptr;         // CSR by the kernel that a plan chooses; null: it could not be run
  Result const* best = nullptr;        // of ours; CSR as it is where nothing is faster beyond the spread
  std::vector<Result const*> equals;   // other formats of ours that the spread does not tell from the best
  Result const* conversion = nullptr;  // to the best
  double gain = 1;                     // time of now over time of best
  double noise = 0;                    // spread of the two (see noise_of)
  std::optional<double> pays_after;    // products in CSR; empty: nothing to convert, or not measured
  Result const* peer = nullptr;        // the fastest
  std::optional<std::string> selected = {};  // the format that select() takes by its model
  Result const* selected_row = nullptr;      // the fastest of that format with default options
};

Answer answer_of(MatrixReport const& report);

/// Seconds of a result, warm before cold; none where it was not measured.
std::optional<double> time_of(Result const& result);

/// The larger spread of the two, and not less than 2 %: what one matrix in other memory varies by.
double noise_of(Result const& a, Result const& b);

/// A spread that no idle machine shows.
inline constexpr double busy_spread = 0.3;

struct AnswerStyle {
  bool peers = false, explain = false;
};

/// A heading and five lines: what it is, CSR now, the best, when it pays, what select() takes. With peers a
/// line of the fastest of them, and three sentences more to explain.
void print_answer(std::ostream& out, MatrixReport const& report, AnswerStyle const& style);

/// One line of the closing table.
struct Line {
  std::string matrix, now, of_copy, best, gain, pays, selected;
};
Line line_of(MatrixReport const& report);
void print_closing_table(std::ostream& out, std::vector<Line> const& lines);

}  // namespace einkorn::perf
