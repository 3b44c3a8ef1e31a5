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

std::string residual_of(Result const& result) {
  auto const& report = result.report;
  if (!std::isfinite(report.residual)) return "not computed";
  std::ostringstream text;
  text << std::setprecision(3) << report.residual;
  if (report.reference > 0) text << ", " << report.residual / report.reference << " of |b|";
  text << " (tolerance " << result.tolerance << ")";
  return text.str();
}

std::string range_of(RankRange const& range) {
  auto const smallest = std::to_string(range.min);
  return (range.min == range.max ? smallest : smallest + " to " + std::to_string(range.max)) + " per rank";
}

/// "82 % hidden; 12.3 us alone, product 55 us, 53 us without it".
std::string exchange_of(program::ExchangeTimes const& times) {
  auto const hidden = program::hidden_fraction(times);
  if (!hidden) return "none";
  std::ostringstream text;
  text << std::setprecision(3) << 100 * *hidden << " % hidden; " << 1e6 * times.exchange
       << " us alone, product " << 1e6 * times.product << " us, " << 1e6 * times.without_exchange
       << " us without it";
  return text.str();
}

}  // namespace

std::string outcome_of(SolveReport const& report) {
  std::string text = name_of(report.outcome);
  if (report.quantity != Quantity::none) text += std::string(" of ") + name_of(report.quantity);
  if (report.row >= 0)
    text += ", row " + std::to_string(report.row + 1);  // counted from 1, as in Matrix Market files
  return text;
}

std::string advice_for(Result const& result) {
  bool const is_gmres = result.method == SolverKind::gmres || result.method == SolverKind::fgmres;
  bool const is_richardson = result.method == SolverKind::richardson;
  bool const is_cg = !is_gmres && !is_richardson && result.method != SolverKind::bicgstab;
  std::string const stronger = result.is_preconditioned
                                   ? "a stronger preconditioner (--preconditioner block-jacobi:8)"
                                   : std::string("a preconditioner (--preconditioner jacobi)");
  switch (result.report.outcome) {
    case Outcome::converged:
      return "";
    case Outcome::iteration_limit:
      return "more iterations (--max-iterations), or " + stronger;
    case Outcome::stagnated:
      return is_gmres ? "longer cycles (--restart), or " + stronger
                      : "a larger --tolerance, because rounding prevents a smaller residual; or " + stronger;
    case Outcome::diverged:
      if (is_richardson) return "--solver gmres: Richardson diverges unless M is close to A";
      return is_cg ? "--solver bicgstab: CG may diverge if A is not Hermitian positive definite" : stronger;
    case Outcome::breakdown:
      if (is_cg) return "--solver bicgstab: p.Ap is zero, so A is singular or not positive definite";
      if (is_gmres) return "another b or another preconditioner: A is singular on the Krylov space";
      return result.is_preconditioned
                 ? "another preconditioner (--preconditioner none, jacobi, block-jacobi:N), or another b"
                 : "a preconditioner (--preconditioner jacobi, block-jacobi:N), or --solver cg if A is "
                   "Hermitian "
                   "positive definite";
    case Outcome::indefinite_operator:
      return "--solver bicgstab: p.Ap < 0, so A is not positive definite, which CG requires";
    case Outcome::indefinite_preconditioner:
      return "--solver cg without a preconditioner, or --solver bicgstab: the diagonal of A is not positive";
    case Outcome::zero_pivot:
      return "--preconditioner none, or block-jacobi:N with N the block size of A: a diagonal entry or block "
             "is "
             "singular or missing";
    case Outcome::non_finite:
      return is_cg ? "searching the files for NaN and infinity; if there are none, --solver bicgstab"
                   : "searching the files for NaN and infinity; if there are none, " + stronger;
    default:
      return "the solve again, because it was stopped";
  }
}

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
  if (result.distribution) {
    row("ranks", std::to_string(result.distribution->ranks) + ", transport " + result.distribution->transport);
    row("rows", range_of(result.distribution->rows));
    row("entries", range_of(result.distribution->entries));
    row("ghosts", range_of(result.distribution->ghosts));
    row("neighbours", range_of(result.distribution->neighbours));
  }
  row("format", result.format);
  row("solver", result.solver);
  row("preconditioner", result.preconditioner);
  row("outcome", outcome_of(result.report));
  if (auto const advice = advice_for(result); !advice.empty()) row("try", advice);
  auto const restarts = result.report.restarts;
  row("iterations",
      std::to_string(result.report.iterations) +
          (restarts > 0 ? ", " + std::to_string(restarts) + (restarts == 1 ? " restart" : " restarts") : ""));
  row("residual", residual_of(result));
  if (result.error) row("error", number(*result.error) + ", the largest |x_i - 1|");
  row("seconds", number(result.read_seconds) + " to read, " + number(result.setup_seconds) + " to set up, " +
                     number(result.solve_seconds) + " to solve");
  if (result.exchange) row("exchange", exchange_of(*result.exchange));
  if (!result.preconditioner_table.empty()) out << '\n' << result.preconditioner_table;
}

void write_history(std::string const& path, SolveReport const& report) {
  std::ostringstream lines;
  lines << "iteration,residual\n" << std::setprecision(std::numeric_limits<double>::max_digits10);
  for (std::size_t i = 0; i < report.history.size(); ++i) lines << i << ',' << report.history[i] << '\n';
  program::write_text_file(path, lines.str());
}

}  // namespace einkorn::tools
