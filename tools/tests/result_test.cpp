// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../../unit_tests/support/temporary_path.hpp"
#include "solve/result.hpp"

#include <einkorn/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace einkorn::tools {
namespace {

std::string table_of(Result const& result) {
  std::ostringstream out;
  print_table(out, result);
  return out.str();
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST(Table, ShowsResidualRelativeToB) {
  Result result;
  result.report.outcome = Outcome::converged;
  result.report.iterations = 42;
  result.report.residual = 2e-7;
  result.report.reference = 50;
  result.tolerance = 1e-8;
  auto const text = table_of(result);
  EXPECT_TRUE(contains(text, "outcome         converged\n")) << text;
  EXPECT_TRUE(contains(text, "iterations      42\n")) << text;
  EXPECT_TRUE(contains(text, "2e-07, 4e-09 of |b| (tolerance 1e-08)")) << text;
  EXPECT_FALSE(contains(text, "error")) << text;
}

TEST(Table, ShowsDistribution) {
  Result result;
  EXPECT_FALSE(contains(table_of(result), "\nranks ")) << table_of(result);
  result.distribution = Distribution{4, "mpi", {284, 285}, {1000, 1100}, {7, 7}, {1, 2}};
  EXPECT_TRUE(contains(table_of(result),
                       "\nranks           4, transport mpi\n"
                       "rows            284 to 285 per rank\n"
                       "entries         1000 to 1100 per rank\n"
                       "ghosts          7 per rank\n"
                       "neighbours      1 to 2 per rank\n"))
      << table_of(result);
}

TEST(Table, ShowsMeasuredExchange) {
  Result result;
  EXPECT_FALSE(contains(table_of(result), "\nexchange ")) << table_of(result);
  result.exchange = program::ExchangeTimes{55e-6, 53e-6, 8e-6, 50e-6};
  EXPECT_TRUE(contains(table_of(result),
                       "\nexchange        75 % hidden; 8 us alone, product 55 us, 53 us without it\n"))
      << table_of(result);
  result.exchange->exchange = 0;
  EXPECT_TRUE(contains(table_of(result), "\nexchange        none\n")) << table_of(result);
}

TEST(Table, ShowsRestarts) {
  Result result;
  result.report.iterations = 42;
  result.report.restarts = 2;
  auto const text = table_of(result);
  EXPECT_TRUE(contains(text, "iterations      42, 2 restarts\n")) << text;
}

TEST(Table, ShowsBreakdownQuantityAndRow) {
  Result result;
  result.report.outcome = Outcome::breakdown;
  result.report.quantity = Quantity::rho;
  EXPECT_TRUE(contains(table_of(result), "breakdown of r0.r\n")) << table_of(result);

  result.report = {};
  result.report.outcome = Outcome::zero_pivot;
  result.report.row = 0;
  result.report.residual = std::nan("");
  result.error = 0.25;
  auto const text = table_of(result);
  EXPECT_TRUE(contains(text, "zero pivot, row 1\n")) << text;
  EXPECT_TRUE(contains(text, "residual        not computed\n")) << text;
  EXPECT_TRUE(contains(text, "error           0.25,")) << text;
}

TEST(Table, NoRatioForAZeroRightHandSide) {
  Result result;
  result.report.outcome = Outcome::converged;
  EXPECT_TRUE(contains(table_of(result), "residual        0 (tolerance")) << table_of(result);
}

TEST(Advice, ExistsForEveryOutcomeButSuccess) {
  struct Case {
    Outcome outcome;
    SolverKind method;
    bool is_preconditioned;
    char const* expected;
  };
  auto const cg = SolverKind::cg, pcg = SolverKind::pcg, bicgstab = SolverKind::bicgstab;
  for (auto const& [outcome, method, is_preconditioned, expected] : {
           Case{Outcome::iteration_limit, cg, false,
                "--max-iterations), or a preconditioner (--preconditioner jacobi)"},
           Case{Outcome::iteration_limit, pcg, true, "--max-iterations), or a stronger preconditioner"},
           Case{Outcome::stagnated, cg, false, "--tolerance"},
           Case{Outcome::diverged, cg, false, "--solver bicgstab"},
           Case{Outcome::diverged, bicgstab, false, "--preconditioner jacobi"},
           Case{Outcome::breakdown, cg, false, "--solver bicgstab: p.Ap is zero"},
           Case{Outcome::breakdown, bicgstab, false, "--preconditioner jacobi, block-jacobi:N"},
           Case{Outcome::breakdown, bicgstab, true, "another preconditioner"},
           Case{Outcome::indefinite_operator, pcg, true, "--solver bicgstab: p.Ap < 0"},
           Case{Outcome::indefinite_preconditioner, pcg, true, "--solver cg without a preconditioner"},
           Case{Outcome::zero_pivot, pcg, true, "--preconditioner none"},
           Case{Outcome::diverged, SolverKind::richardson, true, "--solver gmres"},
           Case{Outcome::non_finite, bicgstab, true, "block-jacobi:8"},
           Case{Outcome::non_finite, cg, false, "--solver bicgstab"},
           Case{Outcome::stopped, cg, false, "again"},
       }) {
    Result result;
    result.report.outcome = outcome;
    result.method = method;
    result.is_preconditioned = is_preconditioned;
    auto const text = table_of(result);
    EXPECT_TRUE(contains(advice_for(result), expected)) << name_of(outcome) << ": " << advice_for(result);
    EXPECT_TRUE(contains(text, "\ntry             " + advice_for(result) + "\n")) << text;
  }
}

TEST(Advice, IsEmptyForAConvergedSolve) {
  Result result;
  result.report.outcome = Outcome::converged;
  EXPECT_EQ(advice_for(result), "");
  EXPECT_FALSE(contains(table_of(result), "try"));
}

TEST(History, OneLinePerIteration) {
  test::TemporaryPath const path("history.csv");
  SolveReport report;
  report.history = {1.0, 0.1};

  write_history(path.path().string(), report);

  std::ifstream file(path.path());
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "iteration,residual\n0,1\n1,0.10000000000000001\n");
}

TEST(History, UnwritableFileThrows) {
  EXPECT_THROW(write_history("/no/such/folder/history.csv", SolveReport{}), IoError);
}

}  // namespace
}  // namespace einkorn::tools
