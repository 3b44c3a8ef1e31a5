// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The choice of a format by measured times, with given times and a given clock.
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/detail/measure_formats.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using enum FormatName;
using FormatNames = std::vector<FormatName>;

constexpr double forever = std::numeric_limits<double>::infinity();

/// A choice by estimated times: CSR 10 ms, SELL 8 ms, CSR5 9 ms, bDIA 30 ms; DIA refused.
Selection estimated() {
  Selection selection;
  selection.candidates = {{sell, 80, 8e-3, 6, "fill 1", false},
                          {csr5, 95, 9e-3, 3, "entries", false},
                          {csr, 100, 10e-3, 0, "entries", false},
                          {bdia, 300, 30e-3, 20, "bands", false},
                          {dia, 900, 90e-3, 20, "the fill limit is 3", true}};
  selection.structure.num_rows = selection.structure.nnz = 1000;
  return selection;
}

/// Measures as stated by a table, on a clock that these measurements advance.
struct Measurement {
  std::map<FormatName, detail::CandidateSeconds> seconds{{csr, {10e-3, 0}},     {sell, {5e-3, 60e-3}},
                                                         {csr5, {6e-3, 20e-3}}, {bdia, {2e-3, 900e-3}},
                                                         {hyb, {7e-3, 40e-3}},  {dia, {1e-3, 0}}};
  double now = 0, seconds_per_format = 0.1;
  FormatNames measured{};

  Selection choose(PlanningOptions const& options, Selection const& by_model = estimated()) {
    return detail::measure_formats(
        by_model, options, "machine", "class",
        [this](FormatName format) {
          measured.push_back(format);
          now += seconds_per_format;
          if (seconds.count(format) == 0) throw FillLimit("too full");
          return seconds.at(format);
        },
        [this] { return now; });
  }
};

Estimate const& candidate(Selection const& choice, FormatName format) {
  return *std::find_if(choice.candidates.begin(), choice.candidates.end(),
                       [&](Estimate const& e) { return e.format == format; });
}

TEST(MeasureFormats, WhichFormatsAreMeasuredAndChosen) {
  struct Case {
    char const* what;
    PlanningOptions options;
    FormatNames measured;
    FormatName chosen;
  };
  for (Case const& c : {
           Case{"the margin excludes bDIA", {.effort = Effort::measure}, {csr, sell, csr5}, sell},
           Case{"a wider margin includes it",
                {.effort = Effort::measure, .max_seconds = 10, .margin = 4},
                {csr, sell, csr5, bdia},
                bdia},
           Case{"a narrow margin", {.effort = Effort::measure, .margin = 1}, {csr, sell}, sell},
           Case{"all, and HYB, which has no model",
                {.effort = Effort::exhaustive, .max_seconds = 10},
                {csr, sell, csr5, bdia, hyb},
                bdia},
           Case{"20 SpMVs: bDIA does not pay",
                {.effort = Effort::exhaustive, .max_seconds = 10, .uses = 20},
                {csr, csr5, sell, bdia, hyb},
                csr5},
           Case{"1 SpMV: only CSR is worth measuring", {.effort = Effort::measure, .uses = 1}, {csr}, csr},
           Case{"5 SpMVs", {.effort = Effort::measure, .uses = 5}, {csr, csr5, sell}, csr},
           Case{"10 SpMVs", {.effort = Effort::measure, .uses = 10}, {csr, csr5, sell}, csr5},
       }) {
    SCOPED_TRACE(c.what);
    Measurement measurement;

    auto const choice = measurement.choose(c.options);

    EXPECT_EQ(measurement.measured, c.measured);
    EXPECT_EQ(name_of(choice.format), std::string(name_of(c.chosen)));
    EXPECT_NE(choice.reason.find(c.chosen == csr ? "nothing measured" : "(measured)"), std::string::npos)
        << choice.reason;
    EXPECT_EQ(choice.structure.num_rows, 1000);
  }
}

TEST(MeasureFormats, StatesMeasuredTimes) {
  Measurement measurement;

  auto const choice = measurement.choose({.effort = Effort::measure});

  EXPECT_DOUBLE_EQ(choice.seconds, 5e-3);
  EXPECT_DOUBLE_EQ(choice.csr_seconds, 10e-3);
  EXPECT_DOUBLE_EQ(choice.conversion_spmvs, 6);
  EXPECT_DOUBLE_EQ(choice.pays_after, 12);
}

TEST(MeasureFormats, TimeLimitKeepsScaledEstimates) {
  Measurement slow;  // twice the estimated time of CSR
  slow.seconds[csr] = {20e-3, 0};

  auto const choice = slow.choose({.effort = Effort::measure, .max_seconds = 0.1});

  EXPECT_EQ(slow.measured, FormatNames{csr});
  EXPECT_EQ(choice.format, sell);
  EXPECT_DOUBLE_EQ(choice.seconds, 16e-3);
  EXPECT_NE(choice.reason.find("2 of 3 formats were not measured within 0.1 s"), std::string::npos)
      << choice.reason;
  EXPECT_NE(candidate(choice, csr5).what.find("not measured within the time limit"), std::string::npos);
}

TEST(MeasureFormats, TimeLimitCountsTheExpectedTimeOfTheNext) {
  // After CSR at 0.1 s, SELL is expected to take 2 x 60 ms + 5 x 8 ms, and CSR5 2 x 30 ms + 5 x 9 ms.
  struct Case {
    double max_seconds;
    FormatNames measured;
  };
  for (Case const& c : {Case{0, {csr}}, Case{0.20, {csr}}, Case{0.21, {csr, csr5}}, Case{0.27, {csr, sell}},
                        Case{0.31, {csr, sell, csr5}}}) {
    Measurement measurement;
    (void)measurement.choose({.effort = Effort::measure, .max_seconds = c.max_seconds});
    EXPECT_EQ(measurement.measured, c.measured) << c.max_seconds;
  }
}

TEST(MeasureFormats, FormatWithoutAModelIsRefusedIfItIsNotMeasured) {
  Measurement measurement;
  measurement.seconds_per_format = 1;
  auto const choice = measurement.choose({.effort = Effort::exhaustive, .max_seconds = 1});
  EXPECT_TRUE(candidate(choice, hyb).refused);
  EXPECT_EQ(choice.format, sell);
}

TEST(MeasureFormats, FormatWithoutAModelCanBeChosen) {
  Measurement measurement;
  measurement.seconds[hyb] = {1e-3, 10e-3};
  auto const choice = measurement.choose({.effort = Effort::exhaustive, .max_seconds = 10});
  EXPECT_EQ(choice.format, hyb);
  EXPECT_EQ(choice.reason, "hyb: 0.10 of the time of CSR (measured)");
}

TEST(MeasureFormats, RefusedConversionsAreNotChosen) {
  Measurement measurement;
  measurement.seconds.erase(sell);

  auto const choice = measurement.choose({.effort = Effort::measure});

  EXPECT_EQ(choice.format, csr5);
  EXPECT_TRUE(candidate(choice, sell).refused);
  EXPECT_EQ(candidate(choice, sell).what, "too full");
}

TEST(MeasureFormats, ErrorOfCsrIsThrown) {
  Measurement measurement;
  measurement.seconds.erase(csr);
  EXPECT_TRUE(throws<FillLimit>([&] { (void)measurement.choose({.effort = Effort::measure}); }, {"too full"}));
}

TEST(MeasureFormats, EmptyMatrixIsCsr) {
  auto empty = estimated();
  empty.structure.nnz = 0;
  for (auto& e : empty.candidates) e.refused = e.format != csr;
  Measurement measurement;
  EXPECT_EQ(measurement.choose({.effort = Effort::exhaustive}, empty).format, csr);
  EXPECT_EQ(measurement.measured, FormatNames{csr});
}

TEST(MeasureFormats, WisdomReplacesTheMeasurement) {
  Wisdom wisdom;
  Measurement first, second;

  auto const measured = first.choose({.effort = Effort::measure, .wisdom = &wisdom});
  auto const known = second.choose({.effort = Effort::measure, .wisdom = &wisdom});

  EXPECT_EQ(first.measured, (FormatNames{csr, sell, csr5}));
  EXPECT_EQ(second.measured, FormatNames{});
  EXPECT_EQ(known.format, measured.format);
  EXPECT_EQ(known.seconds, measured.seconds);
  EXPECT_DOUBLE_EQ(known.conversion_spmvs, measured.conversion_spmvs);
  EXPECT_NE(known.reason.find("(from wisdom)"), std::string::npos) << known.reason;
  EXPECT_TRUE(candidate(known, dia).refused);
}

TEST(MeasureFormats, OneRecordOfWisdomServesAnyNumberOfUses) {
  Wisdom wisdom;
  Measurement measurement;
  auto const choose = [&](double uses) {
    return measurement.choose({.effort = Effort::measure, .uses = uses, .wisdom = &wisdom}).format;
  };
  EXPECT_EQ(choose(forever), sell);
  EXPECT_EQ(choose(10), csr5);
  EXPECT_EQ(choose(1), csr);
  EXPECT_EQ(measurement.measured.size(), 3u) << "only the first call measures";
}

TEST(MeasureFormats, MissingCandidatesAreMeasured) {
  Wisdom wisdom;
  Measurement measurement;
  auto const choose = [&](Effort effort, double uses) {
    measurement.measured.clear();
    return measurement.choose({.effort = effort, .max_seconds = 10, .uses = uses, .wisdom = &wisdom}).format;
  };
  EXPECT_EQ(choose(Effort::measure, 1), csr);
  EXPECT_EQ(measurement.measured, FormatNames{csr});
  EXPECT_EQ(choose(Effort::measure, forever), sell) << "the times of CSR alone do not suffice";
  EXPECT_EQ(measurement.measured, (FormatNames{sell, csr5}));
  EXPECT_EQ(choose(Effort::exhaustive, forever), bdia);
  EXPECT_EQ(measurement.measured, (FormatNames{bdia, hyb}));
  EXPECT_EQ(choose(Effort::measure, forever), bdia) << "wisdom knows more than the candidates of this effort";
  EXPECT_EQ(choose(Effort::exhaustive, forever), bdia);
  EXPECT_EQ(measurement.measured, FormatNames{});
}

TEST(MeasureFormats, WisdomKnowsRefusedFormats) {
  Wisdom wisdom;
  Measurement measurement;
  measurement.seconds.erase(sell);
  (void)measurement.choose({.effort = Effort::measure, .wisdom = &wisdom});
  measurement.measured.clear();

  auto const choice = measurement.choose({.effort = Effort::measure, .wisdom = &wisdom});

  EXPECT_EQ(measurement.measured, FormatNames{});
  EXPECT_EQ(choice.format, csr5);
  EXPECT_EQ(candidate(choice, sell).what, "refused a matrix of this class (from wisdom)");
}

TEST(MeasureFormats, LackOfMemoryIsNotAddedToWisdom) {
  Wisdom wisdom;
  detail::measure_formats(estimated(), {.effort = Effort::measure, .wisdom = &wisdom}, "machine", "class",
                          [](FormatName format) -> detail::CandidateSeconds {
                            if (format != csr) throw OutOfMemory("none");
                            return {10e-3, 0};
                          });
  EXPECT_FALSE(wisdom.find("machine", "class")->knows("sell"));
}

TEST(MeasureFormats, LaterCallsContinueAnInterruptedMeasurement) {
  Wisdom wisdom;
  Measurement measurement;
  auto const choose = [&](double max_seconds) {
    measurement.measured.clear();
    return measurement.choose({.effort = Effort::measure, .max_seconds = max_seconds, .wisdom = &wisdom});
  };
  (void)choose(0.1);
  EXPECT_EQ(measurement.measured, FormatNames{csr});
  (void)choose(0.17);
  EXPECT_EQ(measurement.measured, FormatNames{sell});
  (void)choose(0.17);
  EXPECT_EQ(measurement.measured, FormatNames{csr5});
  EXPECT_NE(choose(0.17).reason.find("(from wisdom)"), std::string::npos);
  EXPECT_EQ(measurement.measured, FormatNames{});
}

TEST(MeasureFormats, RefusedFormatsAreNotTriedAgainWhenOthersAreMissing) {
  Wisdom wisdom;
  wisdom.insert({"machine", "class", {{"csr", 10e-3, 0}}, {"sell"}});
  Measurement measurement;
  auto const choice = measurement.choose({.effort = Effort::measure, .wisdom = &wisdom});
  EXPECT_EQ(measurement.measured, FormatNames{csr5});
  EXPECT_TRUE(candidate(choice, sell).refused);
  EXPECT_EQ(choice.format, csr5);
}

TEST(MeasureFormats, WisdomDoesNotChooseWhatTheModelRefuses) {
  Wisdom wisdom;
  wisdom.insert({"machine",
                 "class",
                 {{"csr", 1, 0}, {"sell", 2, 0}, {"csr5", 2, 0}, {"dia", 0.1, 0}, {"future", 0.01, 0}},
                 {}});
  Measurement measurement;
  EXPECT_EQ(measurement.choose({.effort = Effort::measure, .wisdom = &wisdom}).format, csr);
  EXPECT_EQ(measurement.measured, FormatNames{});
}

TEST(MeasureFormats, WisdomWithoutCsrIsCompleted) {
  Wisdom wisdom;
  wisdom.insert({"machine", "class", {{"sell", 0.1, 0}}, {}});
  Measurement measurement;
  (void)measurement.choose({.effort = Effort::measure, .wisdom = &wisdom});
  EXPECT_EQ(measurement.measured, (FormatNames{csr, csr5}));
  EXPECT_EQ(wisdom.find("machine", "class")->times.size(), 3u);
}

TEST(MeasureFormats, WisdomOfOtherMachinesAndClassesIsNotUsed) {
  for (auto const& [machine, matrix_class] : {std::pair{"other", "class"}, std::pair{"machine", "other"}}) {
    Wisdom wisdom;
    wisdom.insert({machine, matrix_class, {{"csr", 1, 0}}, {}});
    Measurement measurement;
    (void)measurement.choose({.effort = Effort::measure, .wisdom = &wisdom});
    EXPECT_EQ(measurement.measured.size(), 3u);
    EXPECT_EQ(wisdom.records().size(), 2u);
  }
}

}  // namespace
}  // namespace einkorn::test
