// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/solve_output.hpp"
#include "support/solve_reference.hpp"
#include "support/textbook.hpp"
#include "support/unfused_kokkos.hpp"
#include "tests/systems.hpp"

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace einkorn::perf;

struct RowByRow {
  decltype(SolveBench::A) A;
  DenseVector<double const> x;
  DenseVector<double> y;
  KOKKOS_FUNCTION void operator()(int row) const {
    y(row) = 0.0;
    for (int k = A.row_begin(row); k < A.row_end(row); ++k) y(row) += A.values(k) * x(A.columns(k));
  }
};

std::shared_ptr<UnfusedKokkos const> library_of(SolveBench const& bench) {
  auto const multiply = [exec = bench.exec, A = bench.A](DenseVector<double const> const& x,
                                                         DenseVector<double> const& y) {
    Kokkos::parallel_for("multiply", Kokkos::RangePolicy<Exec>(exec, 0, A.num_rows), RowByRow{A, x, y});
  };
  return std::make_shared<UnfusedKokkos const>(bench.exec, bench.inverse_diagonal, multiply);
}

/// Steepest descent: x <- x + (r.r / r.Ar) r.
int steepest_descent(SolveBench const& bench, int iterations) {
  auto const library = library_of(bench);
  TextbookVectors const work(Method::cg, bench.size());
  library->zero(bench.x);
  library->copy(bench.b, work.r);
  for (int k = 0; k < iterations; ++k) {
    library->multiply(work.r, work.q);
    double const alpha = library->dot(work.r, work.r) / library->dot(work.r, work.q);
    library->axpy(alpha, work.r, bench.x);
    library->axpy(-alpha, work.q, work.r);
  }
  return iterations;
}

std::string reason_of(SolveBench const& bench) {
  try {
    (void)reference_history(bench, 20);
  } catch (einkorn::InvalidArgument const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// A = (4 1; 1 3), b = (1, 2): residual after one step, computed by hand; the second step is exact.
void expect_one_step(Method method, double r0, double r1) {
  auto const history = reference_history(make_system({{4, 1}, {1, 3}}, {1, 2}, method), 5);

  ASSERT_EQ(history.size(), 2u) << name_of(method);
  EXPECT_EQ(history[0], 1.0L);
  EXPECT_NEAR(static_cast<double>(history[1]), std::hypot(r0, r1) / std::sqrt(5.0), 1e-16);
}

TEST(Reference, MatchesHandComputation) {
  expect_one_step(Method::cg, -0.5, 0.25);
  expect_one_step(Method::jacobi_pcg, -26.0 / 69, 13.0 / 92);
  expect_one_step(Method::bicgstab, 0.025, 0.175);
}

TEST(Reference, RejectsUnsupportedMatrices) {
  EXPECT_NE(reason_of(path(Method::cg, 0.1)).find("not symmetric"), std::string::npos);
  EXPECT_NE(reason_of(path(Method::jacobi_pcg, 0.1)).find("not symmetric"), std::string::npos);
  EXPECT_EQ(reason_of(path(Method::bicgstab, 0.1)), "nothing was thrown");
  EXPECT_NE(reason_of(make_system({{1, 3}, {3, 1}}, {1, -1}, Method::cg)).find("not positive definite"),
            std::string::npos);
  EXPECT_NE(reason_of(make_system({{1, 0}, {0, 1}}, {0, 0}, Method::cg)).find("right-hand side"),
            std::string::npos);
}

TEST(Reference, EndsBeforeRoundingDominates) {
  auto const bench = path(Method::cg);
  auto const all = reference_history(bench, 60, 1e-8L);

  ASSERT_LT(all.size(), 61u);
  EXPECT_GE(all.back(), 1e-8L);
  EXPECT_EQ(reference_history(bench, 7, 1e-8L).size(), 8u);
}

TEST(Textbook, GivesTheResidualOfTheReference) {
  for (auto const method : {Method::cg, Method::jacobi_pcg, Method::bicgstab}) {
    auto const bench = path(method, method == Method::bicgstab ? 0.1 : 0.0);
    SolveRow row;
    run_textbook(row, bench, library_of(bench));
    Kokkos::deep_copy(bench.x, std::numeric_limits<double>::quiet_NaN());
    auto const history = reference_history(bench, 12);
    auto const iterations = static_cast<int>(history.size()) - 1;
    ASSERT_GT(iterations, 5);

    EXPECT_EQ(row.solve(iterations), iterations);

    auto const expected = static_cast<double>(history.back());
    EXPECT_NEAR(true_residual(bench), expected, 1e-5 * expected) << name_of(method);
  }
}

TEST(Textbook, ReportsEarlyStop) {
  auto const bench = make_system({{1, 0}, {0, 1}}, {3, 4}, Method::cg);
  SolveRow row;
  run_textbook(row, bench, library_of(bench));

  EXPECT_EQ(row.solve(5), 1);
}

TEST(Check, RejectsAnotherMethod) {
  auto const bench = path(Method::cg);
  auto const history = reference_history(bench, 20);
  auto const iterations = static_cast<int>(history.size()) - 1;

  int const done = steepest_descent(bench, iterations);

  auto const reason = disagreement(done, iterations, true_residual(bench), static_cast<double>(history.back()));
  EXPECT_NE(reason.find("expected"), std::string::npos) << reason;
}

TEST(Check, ResidualWithinAFactorOfTwoAndAllIterations) {
  EXPECT_EQ(disagreement(20, 20, 1.9, 1.0), "");
  EXPECT_EQ(disagreement(20, 20, 0.6, 1.0), "");
  EXPECT_NE(disagreement(20, 20, 2.1, 1.0), "");
  EXPECT_NE(disagreement(20, 20, 0.4, 1.0), "");
  EXPECT_NE(disagreement(20, 20, std::numeric_limits<double>::quiet_NaN(), 1.0), "");
  EXPECT_EQ(disagreement(7, 20, 1.0, 1.0), "stopped after 7 of 20 iterations");
}

TEST(Bytes, CountTheVectorsOfTheTextbook) {
  EXPECT_EQ(textbook_vectors(Method::cg, 3, true), 14u);
  EXPECT_EQ(textbook_vectors(Method::cg, 5, false), 16u);
  EXPECT_EQ(textbook_vectors(Method::jacobi_pcg, 3, true), 19u);
  EXPECT_EQ(textbook_vectors(Method::bicgstab, 3, true), 30u);
  EXPECT_EQ(textbook_vectors(Method::bicgstab, 5, false), 31u);
}

SolveTable two_rows(Method method) {
  SolveTable table;
  table.matrix = "gen:stencil7:10";
  table.method = method;
  table.rows = 1000;
  table.nnz = 6400;
  table.iterations = 200;
  table.checked_iterations = 20;
  table.reference_residual = 1e-3;
  table.copy_bytes_per_second = 1e9;
  SolveRow ours;
  ours.format = "dia";
  ours.execution = "graph";
  ours.fusion = "fused";
  ours.matrix_bytes = 50000;
  ours.vectors = 11;
  SolveRow refused = ours;
  refused.library = "eigen";
  refused.refusal = "residual 1e-01, expected 1.000e-03";
  table.results = {{ours, 2e-4, 0.1, 1e-9, 1e-3, false}, {refused, {}, {}, 0.0, 1e-1, true}};
  return table;
}

TEST(Bytes, OfARowAreItsMatrixAndItsVectors) {
  auto const row = two_rows(Method::cg).results[0];

  EXPECT_EQ(row.bytes(Method::cg, 1000), 50000u + 11 * 8000);
  EXPECT_EQ(row.floor_bytes(Method::cg, 1000), 50000u + 8 * 8000);
  EXPECT_EQ(row.floor_bytes(Method::bicgstab, 1000), 2u * 50000 + 17 * 8000);
}

TEST(Output, OneRecordPerSolverWithReason) {
  auto const records = records_of(Context{}, two_rows(Method::cg));

  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["solver"], "cg");
  EXPECT_EQ(records[0]["fusion"], "fused");
  EXPECT_EQ(records[0]["iterations"], 200);
  EXPECT_DOUBLE_EQ(records[0]["time_per_iteration_us"].get<double>(), 200.0);
  EXPECT_DOUBLE_EQ(records[0]["fraction_of_copy"].get<double>(), 138000 / 2e-4 / 1e9);
  EXPECT_DOUBLE_EQ(records[0]["floor_fraction_of_copy"].get<double>(), 114000 / 2e-4 / 1e9);
  EXPECT_DOUBLE_EQ(records[0]["residual"].get<double>(), 1e-9);
  EXPECT_DOUBLE_EQ(records[1]["checked_residual"].get<double>(), 1e-1);
  EXPECT_TRUE(records[1]["seconds"].is_null());
  EXPECT_TRUE(records[1]["wrong"].get<bool>());
  EXPECT_TRUE(records[1]["peer"].get<bool>());
  EXPECT_EQ(records[1]["reason"], "residual 1e-01, expected 1.000e-03");
}

TEST(Output, RecordsHistories) {
  auto table = two_rows(Method::cg);
  table.results[0].history = table.results[1].history = {{1.0, 0.25}, "iteration limit"};
  std::ostringstream out;

  auto const records = records_of(Context{}, table);
  print_table(out, table);

  EXPECT_EQ(records[0]["history"].get<std::vector<double>>(), (std::vector<double>{1.0, 0.25}));
  EXPECT_EQ(records[0]["history_outcome"], "iteration limit");
  EXPECT_FALSE(records[1].contains("history"));
  EXPECT_FALSE(records_of(Context{}, two_rows(Method::cg))[0].contains("history"));
  EXPECT_NE(out.str().find("iteration limit after 1 iterations at 2.50e-01"), std::string::npos) << out.str();
}

TEST(Output, TableShowsRefusalsAndComparesMeasuredRows) {
  auto table = two_rows(Method::cg);
  std::ostringstream out, both;

  print_table(out, table);
  table.results[1].row.refusal.clear();
  table.results[1].seconds = 3e-4;
  print_table(both, table);

  EXPECT_NE(out.str().find("WRONG: residual 1e-01"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("best:"), std::string::npos) << out.str();
  EXPECT_NE(both.str().find("1.50 times the speed of eigen dia"), std::string::npos) << both.str();
}

}  // namespace
