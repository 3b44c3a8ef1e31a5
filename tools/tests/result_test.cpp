// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/result.hpp"

#include <einkorn/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
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

TEST(Table, ShowsTheResidualBesideWhatItIsRelativeTo) {
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

TEST(Table, SaysWhatBrokeDownAndWhere) {
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

TEST(Table, HasNoRatioForARightHandSideOfZeros) {
  Result result;
  result.report.outcome = Outcome::converged;
  EXPECT_TRUE(contains(table_of(result), "residual        0 (tolerance")) << table_of(result);
}

TEST(History, HasALineAnIteration) {
  auto const path = std::filesystem::temp_directory_path() / "einkorn_tools_history_test.csv";
  SolveReport report;
  report.history = {1.0, 0.1};

  write_history(path.string(), report);

  std::ifstream file(path);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  EXPECT_EQ(text, "iteration,residual\n0,1\n1,0.10000000000000001\n");
}

TEST(History, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_history("/no/such/folder/history.csv", SolveReport{}), IoError);
}

}  // namespace
}  // namespace einkorn::tools
