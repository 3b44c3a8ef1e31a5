// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "solve/result.hpp"

#include <cmath>
#include <cstddef>
#include <iomanip>
#include <limits>
#include <sstream>

namespace einkorn::tools {

namespace {

std::string outcome_of(SolveReport const& report) {
  std::string text = name_of(report.outcome);
  if (report.quantity != Quantity::none) text += std::string(" of ") + name_of(report.quantity);
  if (report.row >= 0) text += ", row " + std::to_string(report.row + 1);  // counted from 1, as files do
  return text;
}

std::string residual_of(Result const& result) {
  auto const& report = result.report;
  if (!std::isfinite(report.residual)) return "not computed";
  std::ostringstream text;
  text << std::setprecision(3) << report.residual;
  if (report.reference > 0) text << ", " << report.residual / report.reference << " of |b|";
  text << " (tolerance " << result.tolerance << ")";
  return text.str();
}

}  // namespace

void print_table(std::ostream& out, Result const& result) {
  auto const row = [&](char const* name, std::string const& value) {
    out << std::left << std::setw(16) << name << value << '\n';
  };
  auto const number = [](double value) {
    std::ostringstream text;
    text << std::setprecision(3) << value;
    return text.str();
  };
  row("matrix", result.matrix);
  row("right-hand side", result.right_hand_side);
  row("machine", result.machine);
  row("format", result.format);
  row("solver", result.solver);
  row("preconditioner", result.preconditioner);
  row("outcome", outcome_of(result.report));
  row("iterations", std::to_string(result.report.iterations));
  row("residual", residual_of(result));
  if (result.error) row("error", number(*result.error) + ", the largest |x_i - 1|");
  row("seconds", number(result.read_seconds) + " to read, " + number(result.setup_seconds) + " to set up, " +
                     number(result.solve_seconds) + " to solve");
}

void write_history(std::string const& path, SolveReport const& report) {
  std::ostringstream lines;
  lines << "iteration,residual\n" << std::setprecision(std::numeric_limits<double>::max_digits10);
  for (std::size_t i = 0; i < report.history.size(); ++i) lines << i << ',' << report.history[i] << '\n';
  program::write_text_file(path, lines.str());
}

}  // namespace einkorn::tools
