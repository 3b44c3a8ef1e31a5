// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/json.hpp"
#include "solve/result.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace einkorn::tools {
namespace {

bool has_part(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST(Json, EscapesText) {
  EXPECT_EQ(json_text("a \"b\" \\ c\n\t"), "\"a \\\"b\\\" \\\\ c\\u000a\\u0009\"");
  EXPECT_EQ(json_text(""), "\"\"");
}

TEST(Json, KeepsUtf8AndReplacesOtherBytes) {
  EXPECT_EQ(json_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xbe"), "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\xbe\"");
  EXPECT_EQ(json_text("a\xff\x62"), "\"a\\ufffdb\"");
  EXPECT_EQ(json_text("\xc3"), "\"\\ufffd\"");                        // ends within a character
  EXPECT_EQ(json_text("\xc0\x80"), "\"\\ufffd\\ufffd\"");             // longer than necessary
  EXPECT_EQ(json_text("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
  EXPECT_EQ(json_text("\xf4\x90\x80\x80").size(), 2 + 4 * std::string("\\ufffd").size());  // beyond U+10FFFF
}

TEST(Json, NumbersReadBackOrAreNull) {
  EXPECT_EQ(std::stod(json_number(0.1)), 0.1);
  EXPECT_EQ(std::stod(json_number(1e-300 / 3)), 1e-300 / 3);
  EXPECT_EQ(json_number(std::nan("")), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, OfOneProcessWithoutIterations) {
  Result result;
  result.matrix_name = "a.mtx";
  result.report.residual = std::nan("");

  auto const json = json_of(result);

  for (auto const* const part :
       {"\"matrix\": \"a.mtx\"", "\"ranks\": 1", "\"distribution\": null", "\"exchange\": null",
        "\"residual\": null", "\"relative_residual\": null", "\"error\": null", "\"per_iteration\": null"})
    EXPECT_TRUE(has_part(json, part)) << part << " in " << json;
}

TEST(Json, OfSeveralRanks) {
  Result result;
  result.method = SolverKind::gmres;
  result.report.outcome = Outcome::converged;
  result.report.iterations = 4;
  result.solve_seconds = 2;
  result.distribution = Distribution{3, "mpi", {4, 5}, {20, 21}, {1, 2}, {1, 2}};
  result.exchange = program::ExchangeTimes{5, 4, 4, 3};

  auto const json = json_of(result);

  for (auto const* const part :
       {"\"ranks\": 3", "\"transport\": \"mpi\"", "\"rows\": {\"min\": 4, \"max\": 5}",
        "\"neighbours\": {\"min\": 1, \"max\": 2}", "\"per_iteration\": 0.5", "\"solver\": \"gmres\"",
        "\"converged\": true", "\"exchange_seconds\": 4", "\"hidden_fraction\": 0.75"})
    EXPECT_TRUE(has_part(json, part)) << part << " in " << json;
}

TEST(Json, OfAnAutomaticTransport) {
  Result result;
  result.distribution = Distribution{2, "mpi", {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  EXPECT_TRUE(has_part(json_of(result), "\"transport_times\": null")) << json_of(result);
  result.distribution->transport_times = {{"peer", std::nan(""), std::nan(""), "two nodes"},
                                          {"mpi", 0.5, 0.25, ""}};

  auto const json = json_of(result);

  EXPECT_TRUE(has_part(json,
                       "\"transport_times\": [{\"name\": \"peer\", \"gather_seconds\": null, "
                       "\"exchange_seconds\": null, \"error\": \"two nodes\"}, {\"name\": \"mpi\", "
                       "\"gather_seconds\": 0.5, \"exchange_seconds\": 0.25, \"error\": null}]"))
      << json;
}

TEST(HiddenFraction, IsBetweenZeroAndOne) {
  using program::ExchangeTimes, program::hidden_fraction;
  EXPECT_EQ(*hidden_fraction(ExchangeTimes{10, 10, 2, 9}), 1.0);  // product takes no longer with the exchange
  EXPECT_EQ(*hidden_fraction(ExchangeTimes{9, 10, 2, 9}), 1.0);   // noise
  EXPECT_EQ(*hidden_fraction(ExchangeTimes{12, 10, 2, 9}), 0.0);  // all of it in addition
  EXPECT_EQ(*hidden_fraction(ExchangeTimes{20, 10, 2, 9}), 0.0);
  EXPECT_EQ(*hidden_fraction(ExchangeTimes{11, 10, 2, 9}), 0.5);
  EXPECT_FALSE(hidden_fraction(ExchangeTimes{11, 10, 0, 9}));  // no exchange
}

}  // namespace
}  // namespace einkorn::tools
