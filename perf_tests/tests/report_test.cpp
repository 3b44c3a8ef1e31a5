// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/json.hpp"
#include "support/suites.hpp"
#include "support/table.hpp"
#include "support/timing.hpp"
#include "support/traffic.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace einkorn::perf;

// 7 points on 10^3: (double, int, int).
constexpr MatrixCounts stencil{1000, 1000, 6400, 8, 4, 4};

TEST(Traffic, CountsEachArrayOfCsrOnce) {
  EXPECT_EQ(csr_bytes(stencil), 6400u * 12 + 1001 * 4 + 2 * 1000 * 8);
  EXPECT_EQ(csr_bytes({3, 5, 0, 4, 8, 8}), 4u * 8 + (3 + 5) * 4);
}

TEST(Traffic, CountsDescriptorsAndTailOfCsr5) {
  Csr5Counts tiles;
  tiles.tiles = 12;
  tiles.lanes = 32;
  tiles.words = 1;
  tiles.tail_rows = 40;
  EXPECT_EQ(csr5_bytes(stencil, tiles), 6400u * 12 + 13 * 4 + 12 * 32 * 4 + 41 * 4 + 2 * 1000 * 8);

  tiles.empty_begin = 13;
  tiles.empty_offsets = 100;
  tiles.empty_rows = 7;
  EXPECT_EQ(csr5_bytes(stencil, tiles), 6400u * 12 + 13 * 4 + 12 * 32 * 4 + 41 * 4 + 13 * 4 + 107 * 4 + 16000);
}

TEST(Traffic, CountsTheRowsOfCooAndThePaddingOfSell) {
  EXPECT_EQ(coo_bytes(stencil), 6400u * 16 + 16000);
  EXPECT_EQ(sell_bytes(stencil, 7000, 32), 7000u * 12 + 33 * 4 + 16000);
}

TEST(Traffic, CountsAConversionAsOneReadAndOneWrite) {
  Csr5Counts tiles;
  tiles.tiles = 12;
  tiles.lanes = 32;
  tiles.words = 1;
  tiles.tail_rows = 40;
  EXPECT_EQ(csr5_conversion_bytes(stencil, tiles), 2u * 6400 * 12 + 1001 * 4 + 13 * 4 + 12 * 32 * 4);
  EXPECT_EQ(value_update_bytes(stencil), 2u * 6400 * 8);
}

TEST(Timing, Median) {
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median({}), 0.0);
}

TEST(Timing, SpreadIsTheInterquartileRangeOverTheMedian) {
  EXPECT_DOUBLE_EQ(*spread({5.0, 1.0, 2.0, 4.0, 3.0}), (4.0 - 2.0) / 3.0);
  EXPECT_DOUBLE_EQ(*spread({1.0, 2.0, 3.0, 4.0}), (3.25 - 1.75) / 2.5);
  EXPECT_DOUBLE_EQ(*spread({2.0, 2.0, 2.0}), 0.0);
  EXPECT_FALSE(spread({1.0, 2.0}).has_value());
}

MatrixReport two_rows() {
  MatrixReport report;
  report.matrix = "gen:stencil7:10";
  report.scalar = "double";
  report.ordinal = "int32";
  report.rows = report.cols = 1000;
  report.nnz = 6400;
  report.csr_bytes = csr_bytes(stencil);
  report.copy_bytes_per_second = 2e9;
  Candidate ours;
  ours.format = "csr";
  ours.algorithm = "row_team";
  ours.bytes = 1000;
  Candidate refused = ours;
  refused.library = "cusparse";
  refused.refusal = "no memory";
  report.results = {{ours, 1e-6, 2e-6, 1e-16, false}, {refused, {}, {}, 0.0, false}};
  report.results[0].warm_spread = 0.25;
  return report;
}

TEST(Json, OneRecordPerRowAndTemperatureWithEveryField) {
  auto const records = records_of(Context{}, two_rows());

  ASSERT_EQ(records.size(), 3u);
  for (auto const& record : records)
    for (char const* const field : {"matrix",        "rows",
                                    "cols",          "nnz",
                                    "operation",     "format",
                                    "algorithm",     "peer",
                                    "scalar",        "ordinal",
                                    "seconds",       "gflops",
                                    "spread",        "bytes",
                                    "csr_bytes",     "gb_per_s",
                                    "copy_gb_per_s", "fraction_of_copy",
                                    "cold",          "machine",
                                    "backend",       "kokkos_version",
                                    "commit"})
      EXPECT_TRUE(record.contains(field)) << field;
  EXPECT_FALSE(records[0]["cold"].get<bool>());
  EXPECT_TRUE(records[1]["cold"].get<bool>());
  EXPECT_DOUBLE_EQ(records[0]["spread"].get<double>(), 0.25);
  EXPECT_TRUE(records[1]["spread"].is_null());
  EXPECT_DOUBLE_EQ(records[0]["gb_per_s"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(records[0]["fraction_of_copy"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(records[0]["gflops"].get<double>(), 12.8);
}

TEST(Json, RowWithoutTimesHasAReason) {
  auto const refused = records_of(Context{}, two_rows()).back();

  EXPECT_TRUE(refused["peer"].get<bool>());
  EXPECT_TRUE(refused["seconds"].is_null());
  EXPECT_EQ(refused["reason"], "no memory");
}

TEST(Json, RecordsTemperatureAndMissingGraph) {
  auto report = two_rows();
  report.suite = "irregular";
  report.results[0].graph_seconds = 5e-7;
  report.results.push_back(report.results[0]);
  report.results.back().graph_seconds = {};
  report.results.back().graph_refusal = "no graph: it fences";

  auto const records = records_of(Context{}, report);

  std::vector<std::string> temperatures;
  for (auto const& record : records) temperatures.push_back(record["temperature"]);
  EXPECT_EQ(temperatures, (std::vector<std::string>{"warm", "cold", "graph", "warm", "warm", "cold", "graph"}));
  EXPECT_FALSE(records[2]["cold"].get<bool>());
  EXPECT_DOUBLE_EQ(records[2]["seconds"].get<double>(), 5e-7);
  EXPECT_DOUBLE_EQ(records[2]["gb_per_s"].get<double>(), 2.0);
  EXPECT_TRUE(records[6]["seconds"].is_null());
  EXPECT_EQ(records[6]["reason"], "no graph: it fences");
  EXPECT_EQ(records[0]["suite"], "irregular");
}

TEST(Json, LowerBoundOfStreamAndGather) {
  auto report = two_rows();
  report.stream_bytes_per_second = 4e9;
  EXPECT_TRUE(records_of(Context{}, report)[0]["floor_seconds"].is_null());
  EXPECT_TRUE(records_of(Context{}, report)[0]["gather_per_s"].is_null());

  report.gather_per_second = 1e12;  // the bytes are the limit
  EXPECT_DOUBLE_EQ(records_of(Context{}, report)[0]["floor_seconds"].get<double>(),
                   static_cast<double>(csr_bytes(stencil)) / 4e9);

  report.gather_per_second = 1e6;
  EXPECT_DOUBLE_EQ(records_of(Context{}, report)[0]["floor_seconds"].get<double>(), 6400 / 1e6);
  EXPECT_DOUBLE_EQ(records_of(Context{}, report)[0]["gather_per_s"].get<double>(), 1e6);
}

TEST(Table, GraphColumnOnlyWithGraphs) {
  std::ostringstream without, with;
  auto report = two_rows();

  print_table(without, report);
  report.results[0].graph_seconds = 5e-7;
  report.gather_per_second = 1e9;
  report.stream_bytes_per_second = 4e9;
  print_table(with, report);

  EXPECT_EQ(without.str().find("graph:"), std::string::npos) << without.str();
  EXPECT_NE(with.str().find("graph:"), std::string::npos) << with.str();
  EXPECT_NE(with.str().find("0.5 us"), std::string::npos) << with.str();
  EXPECT_NE(with.str().find("lower bound of CSR 24.2 us"), std::string::npos) << with.str();
}

TEST(Suites, ExpandToMatricesAndKeepOtherArguments) {
  auto const matrices =
      expand_suites({"a.mtx", "suite:csr5", "gen:band:5:1", "suite:irregular", "suite:regular"});

  EXPECT_EQ(matrices.front().name, "a.mtx");
  EXPECT_EQ(matrices.front().suite, "");
  EXPECT_EQ(matrices[1].name, "gen:surrogate:dense");
  EXPECT_EQ(matrices[25].name, "gen:band:5:1");
  std::map<std::string, int> counts;
  std::set<std::string> names;
  for (auto const& [name, suite] : matrices) {
    ++counts[suite];
    names.insert(name);
    if (!suite.empty()) {
      EXPECT_NO_THROW((void)einkorn::parse_generator(name)) << name;
    }
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"", 2}, {"csr5", 24}, {"irregular", 10}, {"regular", 11}}));
  EXPECT_EQ(names.size(), matrices.size());
}

TEST(Suites, UnknownSuiteListsTheSuites) {
  try {
    (void)expand_suites({"suite:nothing"});
    ADD_FAILURE() << "no exception";
  } catch (einkorn::InvalidArgument const& error) {
    EXPECT_NE(std::string(error.what()).find("suite:csr5"), std::string::npos) << error.what();
  }
}

TEST(Table, ShowsEveryRowAndReasonsOfRefusedRows) {
  std::ostringstream out;

  print_table(out, two_rows());

  EXPECT_NE(out.str().find("row_team"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("no memory"), std::string::npos) << out.str();
}

TEST(RoundedValues, AreShownButNotCompared) {
  auto report = two_rows();
  auto rounded = report.results[0], peer = report.results[0];
  rounded.candidate.algorithm = "row_team_float_values";
  rounded.candidate.value_epsilon = 1e-7;
  rounded.warm_seconds = 0.5e-6;
  peer.candidate.library = "eigen";
  peer.warm_seconds = 1.5e-6;
  report.results = {report.results[0], rounded, peer};
  std::ostringstream out;

  print_table(out, report);
  auto const records = records_of(Context{}, report);

  EXPECT_NE(out.str().find("values rounded"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("best warm: csr row_team, 1.50 times"), std::string::npos) << out.str();
  EXPECT_FALSE(records[0]["rounded_values"].get<bool>());
  EXPECT_TRUE(records[2]["rounded_values"].get<bool>());
}

}  // namespace
