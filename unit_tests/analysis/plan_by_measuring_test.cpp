// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The choice of an algorithm by measured times: with given times and a given clock, and of plans.
#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/detail/measure_spmv.hpp>
#include <einkorn/formats/analysis/plan_by_measuring.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Names = std::vector<std::string>;
using enum SpmvAlgorithm;

constexpr double any_uses = std::numeric_limits<double>::infinity();

Names candidate_names(SpmvAlgorithm estimated, Effort effort, Arch arch) {
  Names names;
  for (auto const& candidate : detail::spmv_candidates(estimated, effort, arch))
    names.push_back(detail::candidate_name(candidate));
  return names;
}

TEST(SpmvCandidates, EstimatedAlgorithmFirst) {
  struct Case {
    SpmvAlgorithm estimated;
    Effort effort;
    Arch arch;
    Names expected;
  };
  for (Case const& c : {
           Case{row_team, Effort::measure, Arch::host, {"row_team", "segmented_sum", "row_thread"}},
           Case{segmented_sum, Effort::measure, Arch::host, {"segmented_sum", "row_team", "row_thread"}},
           Case{row_team, Effort::exhaustive, Arch::host, {"row_team", "segmented_sum", "row_thread"}},
           Case{row_team,
                Effort::measure,
                Arch::hopper,
                {"row_team", "nonzero_split", "row_bins", "segmented_sum"}},
           Case{row_bins,
                Effort::measure,
                Arch::hopper,
                {"row_bins", "row_team", "nonzero_split", "segmented_sum"}},
           Case{segmented_sum,
                Effort::measure,
                Arch::mi300,
                {"segmented_sum", "row_team", "nonzero_split", "row_bins"}},
       })
    EXPECT_EQ(candidate_names(c.estimated, c.effort, c.arch), c.expected);
}

TEST(SpmvCandidates, ExhaustiveOnAGpuHasEveryDeterministicAlgorithmAndValidLanes) {
  for (Arch const arch : {Arch::cuda, Arch::hopper, Arch::hip, Arch::mi300}) {
    auto const names = candidate_names(row_bins, Effort::exhaustive, arch);
    auto const has = [&](char const* name) { return std::count(names.begin(), names.end(), name) == 1; };
    for (auto const* const name :
         {"row_bins", "nonzero_split", "row_thread", "row_team", "sorted_rows", "segmented_sum", "row_team:2",
          "row_team:32", "sorted_rows:32", "row_bins:2", "row_bins:16"})
      EXPECT_TRUE(has(name)) << name;
    EXPECT_EQ(has("row_team:64"), lockstep_lanes(arch) == 64);
    for (auto const* const name : {"atomic_scatter", "automatic", "row_bins:32", "row_team:128", "row_team:1"})
      EXPECT_FALSE(has(name)) << name;
  }
}

/// Measures as stated by a table, on a clock that these measurements advance.
struct GivenTimes {
  std::map<std::string, detail::CandidateSeconds> seconds{
      {"row_team", {10e-3, 10e-3}}, {"segmented_sum", {8e-3, 30e-3}}, {"row_thread", {9e-3, 10e-3}}};
  double now = 0, seconds_per_candidate = 0.1;
  Names measured{};

  std::string choose(detail::SpmvMeasurement const& options, SpmvAlgorithm estimated = row_team,
                     Arch arch = Arch::host) {
    return detail::candidate_name(detail::measure_spmv(
        estimated, arch, options, "machine", "class",
        [this](detail::SpmvCandidate const& candidate) {
          auto const name = detail::candidate_name(candidate);
          measured.push_back(name);
          now += seconds_per_candidate;
          if (seconds.count(name) == 0) throw OutOfMemory("none");
          return seconds.at(name);
        },
        [this] { return now; }));
  }
};

TEST(MeasureSpmv, MinimizesTheTimeOfThePlanAndItsUses) {
  struct Case {
    double uses;
    char const* expected;
  };
  for (Case const& c : {Case{any_uses, "segmented_sum"}, Case{100, "segmented_sum"}, Case{21, "segmented_sum"},
                        Case{19, "row_thread"}, Case{1, "row_thread"}}) {
    GivenTimes times;
    EXPECT_EQ(times.choose({Effort::measure, 1, c.uses, nullptr}), c.expected) << c.uses;
    EXPECT_EQ(times.measured.size(), 3u);
  }
}

TEST(MeasureSpmv, EqualTimesKeepTheEstimatedAlgorithm) {
  for (auto const estimated : {row_team, segmented_sum}) {
    GivenTimes times;
    for (auto& [name, seconds] : times.seconds) seconds = {1e-3, 1e-3};
    EXPECT_EQ(times.choose({Effort::measure, 1, 7, nullptr}, estimated), name_of(estimated));
  }
}

TEST(MeasureSpmv, TimeLimitKeepsWhatWasMeasured) {
  // A candidate is expected to take 2 x 10 + 5 x 10 ms.
  struct Case {
    double max_seconds;
    Names measured;
    char const* expected;
  };
  for (Case const& c : {Case{0, {"row_team"}, "row_team"}, Case{0.16, {"row_team"}, "row_team"},
                        Case{0.18, {"row_team", "segmented_sum"}, "segmented_sum"},
                        Case{0.28, {"row_team", "segmented_sum", "row_thread"}, "segmented_sum"}}) {
    GivenTimes times;
    EXPECT_EQ(times.choose({Effort::measure, c.max_seconds, any_uses, nullptr}), c.expected);
    EXPECT_EQ(times.measured, c.measured) << c.max_seconds;
  }
}

TEST(MeasureSpmv, LackOfMemoryExcludesACandidateButNotTheEstimatedOne) {
  GivenTimes times;
  times.seconds.erase("segmented_sum");
  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, nullptr}), "row_thread");
  EXPECT_TRUE(throws<OutOfMemory>(
      [&] { (void)times.choose({Effort::measure, 1, any_uses, nullptr}, segmented_sum); }, {}));
}

TEST(MeasureSpmv, WisdomReplacesTheMeasurement) {
  Wisdom wisdom;
  GivenTimes times;
  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, &wisdom}), "segmented_sum");
  times.measured.clear();

  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, &wisdom}), "segmented_sum");
  EXPECT_EQ(times.choose({Effort::measure, 1, 1, &wisdom}), "row_thread") << "for any number of uses";
  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, &wisdom}, segmented_sum), "segmented_sum");
  EXPECT_EQ(times.measured, Names{});
}

TEST(MeasureSpmv, LaterCallsContinueAnInterruptedMeasurement) {
  Wisdom wisdom;
  GivenTimes times;
  (void)times.choose({Effort::measure, 0, any_uses, &wisdom});
  EXPECT_EQ(times.measured, Names{"row_team"});
  times.measured.clear();
  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, &wisdom}), "segmented_sum");
  EXPECT_EQ(times.measured, (Names{"segmented_sum", "row_thread"}));
}

TEST(MeasureSpmv, WisdomOfAHigherEffortIsComparedToo) {
  Wisdom wisdom;
  WisdomRecord record{"machine", "class", {}, {}};
  for (auto const& name : candidate_names(row_team, Effort::exhaustive, Arch::hopper))
    record.times.push_back({name, name == "sorted_rows:8" ? 1e-6 : 1e-3, 0});
  record.times.push_back({"atomic_scatter", 1e-9, 0});
  record.times.push_back({"future_algorithm", 1e-9, 0});
  wisdom.insert(record);
  GivenTimes times;
  EXPECT_EQ(times.choose({Effort::measure, 1, any_uses, &wisdom}, row_team, Arch::hopper), "sorted_rows:8")
      << "of the algorithms that this version may choose";
  EXPECT_EQ(times.measured, Names{});
}

/// y of op(A) x is that of the reference.
template <class Plan, class Host>
void expect_product(Plan const& plan, Host const& host, Op op) {
  auto const rows = is_transposed(op) ? host.cols() : host.rows();
  auto const cols = is_transposed(op) ? host.rows() : host.cols();
  auto const x = numbers<double>(Numbers::integers, cols, 2),
             before = numbers<double>(Numbers::integers, rows, 3);
  auto const y = to_device(before), reference = to_device(before);

  spmv(Space(), plan, 2.0, to_device(x), -1.0, y);

  spmv(Space(), make_spmv_plan(Space(), host.on_device(), SpmvOptions{.op = op}), 2.0, to_device(x), -1.0,
       reference);
  EXPECT_EQ(to_host(y), to_host(reference)) << "products of integers are exact";
}

TEST(PlanByMeasuring, EstimateIsThePlanOfCsr) {
  auto const host = with_numbers<double>(random_pattern(300, 200, 3), Numbers::integers);
  auto const expected = make_spmv_plan(Space(), host.on_device());

  auto const plan = make_spmv_plan(Space(), host.on_device(), {.effort = Effort::estimate});

  EXPECT_EQ(plan.algorithm(), expected.algorithm());
  EXPECT_EQ(plan.lanes(), expected.lanes());
}

TEST(PlanByMeasuring, MultipliesWithEveryEffort) {
  for (auto const* const name : {"random, seed 1", "every second row empty", "0 x n", "n x 0"})
    for (auto const& pattern : battery())
      for (auto const op : {Op::none, Op::conjugate_transpose})
        for (auto const effort : {Effort::measure, Effort::exhaustive}) {
          if (pattern.name != name) continue;
          SCOPED_TRACE(pattern.name);
          auto const host = with_numbers<double>(pattern, Numbers::integers);

          auto const plan = make_spmv_plan(Space(), host.on_device(), {.op = op, .effort = effort});

          EXPECT_EQ(plan.op(), op);
          expect_product(plan, host, op);
        }
}

TEST(PlanByMeasuring, ChoosesTheAlgorithmThatWisdomStates) {
  auto const host = with_numbers<double>(random_pattern(300, 200, 3), Numbers::integers);
  for (auto const op : {Op::none, Op::transpose}) {
    Wisdom measured;
    (void)make_spmv_plan(
        Space(), host.on_device(),
        {.op = op, .effort = Effort::exhaustive, .max_seconds = any_uses, .wisdom = &measured});
    ASSERT_EQ(measured.records().size(), 1u);
    auto const record = measured.records().begin()->second;
    EXPECT_EQ(record.machine, wisdom_machine(Space()));
    EXPECT_EQ(record.times.size(),
              detail::spmv_candidates(row_team, Effort::exhaustive, arch_of<Space>).size());
    for (auto const& fastest : record.times) {
      SCOPED_TRACE(fastest.name);
      auto changed = record;
      for (auto& time : changed.times) time.seconds = time.name == fastest.name ? 1e-9 : 1.0;
      Wisdom wisdom;
      wisdom.insert(changed);

      auto const plan =
          make_spmv_plan(Space(), host.on_device(), {.op = op, .effort = Effort::measure, .wisdom = &wisdom});

      EXPECT_EQ(name_of(plan.algorithm()), fastest.name.substr(0, fastest.name.find(':')));
      EXPECT_TRUE(plan.spmm_statistics<Space>().is_automatic);
      expect_product(plan, host, op);
    }
  }
}

TEST(PlanByMeasuring, WisdomDistinguishesTypesAndOps) {
  auto const host = with_numbers<double>(random_pattern(30, 30, 3), Numbers::integers);
  Wisdom wisdom;
  for (auto const op : {Op::none, Op::transpose, Op::none})
    (void)make_spmv_plan(Space(), host.on_device(), {.op = op, .effort = Effort::measure, .wisdom = &wisdom});
  EXPECT_EQ(wisdom.records().size(), 2u);
  EXPECT_NE((detail::wisdom_types<double, int, int, double>()),
            (detail::wisdom_types<float, int, int, double>()));
  EXPECT_NE((detail::wisdom_types<double, int, int, double>()),
            (detail::wisdom_types<double, int, std::size_t, double>()));
  EXPECT_EQ((detail::wisdom_types<Kokkos::complex<float> const, int, int, double>()),
            "scalar=complex<float> vector=double ordinal=4 offset=4");
}

TEST(PlanByMeasuring, RejectsInvalidOptions) {
  auto const host = with_numbers<double>(random_pattern(5, 5, 3), Numbers::integers);
  auto const is_rejected = [&](SpmvPlanningOptions const& options, std::string const& part) {
    return throws<InvalidArgument>([&] { (void)make_spmv_plan(Space(), host.on_device(), options); },
                                   {"make_spmv_plan: ", part});
  };
  EXPECT_TRUE(is_rejected({.effort = static_cast<Effort>(-1)}, "effort is -1"));
  EXPECT_TRUE(is_rejected({.columns = -1, .effort = Effort::measure}, "columns is -1"));
  for (double const bad : {-1.0, std::nan("")}) {
    EXPECT_TRUE(is_rejected({.effort = Effort::measure, .max_seconds = bad}, "max_seconds"));
    EXPECT_TRUE(is_rejected({.effort = Effort::measure, .uses = bad}, "uses"));
  }
  EXPECT_TRUE(is_rejected({.effort = Effort::estimate, .uses = 0}, "uses"));
}

/// The header leaves the meaning of other calls unchanged.
TEST(PlanByMeasuring, OptionsWithoutAnEffortAreThoseOfCsr) {
  auto const host = with_numbers<double>(random_pattern(5, 5, 3), Numbers::integers);
  EXPECT_EQ(make_spmv_plan(Space(), host.on_device(), {}).op(), Op::none);
  EXPECT_EQ(make_spmv_plan(Space(), host.on_device(), {.op = Op::transpose}).op(), Op::transpose);
  EXPECT_EQ(make_spmv_plan(Space(), host.on_device(), {.algorithm = row_thread}, Checks::off).algorithm(),
            row_thread);
}

}  // namespace
}  // namespace einkorn::test
