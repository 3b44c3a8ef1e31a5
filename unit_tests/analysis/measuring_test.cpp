// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

template <class Scalar>
std::vector<Scalar> filled_for_timing(std::size_t length) {
  Kokkos::View<Scalar*, Device> const x("einkorn::test::x", length);
  detail::fill_for_timing(Space(), x);
  return to_host(x);
}

template <class Scalar>
void expect_fill_for_timing() {
  constexpr std::size_t length = 1000;
  auto const x = filled_for_timing<Scalar>(length);
  std::set<double> numbers;
  auto const check = [&](double number) {
    EXPECT_TRUE(number >= 0.5 && number < 1) << number;
    numbers.insert(number);
  };
  for (Scalar const& value : x)
    if constexpr (is_complex<Scalar>)
      check(value.real()), check(value.imag());
    else
      check(value);
  constexpr std::size_t parts = is_complex<Scalar> ? 2 : 1;
  EXPECT_GE(numbers.size(), parts * length - 2) << "with 23 bits, two of 2000 numbers may be equal";
  EXPECT_LT(*numbers.begin(), 0.51);
  EXPECT_GT(*numbers.rbegin(), 0.99);
  EXPECT_EQ(filled_for_timing<Scalar>(length), x);
  EXPECT_EQ(filled_for_timing<Scalar>(10), std::vector<Scalar>(x.begin(), x.begin() + 10));
  EXPECT_TRUE(filled_for_timing<Scalar>(0).empty());
}

TEST(FillForTiming, EntriesDifferAndRepeat) {
  expect_fill_for_timing<float>();
  expect_fill_for_timing<double>();
  expect_fill_for_timing<Kokkos::complex<float>>();
  expect_fill_for_timing<Complex>();
}

TEST(SelectByMeasuring, MeasuresCsrAndTheFormatsOfTheModel) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:5000:31");

  auto const choice = select_by_measuring(Space(), A);

  auto const has = [&](FormatName format) {
    return std::any_of(choice.candidates.begin(), choice.candidates.end(),
                       [format](Estimate const& e) { return e.format == format && e.seconds > 0; });
  };
  EXPECT_TRUE(has(FormatName::csr));
  EXPECT_TRUE(has(FormatName::bdia));
  EXPECT_TRUE(has(choice.format));
  EXPECT_NE(choice.reason.find("measured"), std::string::npos);
  EXPECT_EQ(choice.structure.num_diagonals, 31);
  for (auto const& candidate : choice.candidates)
    if (!candidate.refused) {
      EXPECT_GE(candidate.seconds, choice.seconds) << "for infinitely many uses the fastest is chosen";
    }
}

/// exhaustive measures HYB too, which has no model.
TEST(SelectWithEffort, ExhaustiveMeasuresEveryFormatThatIsNotRefused) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:500:5");
  auto const estimated = select(Space(), A).candidates;
  auto const accepted =
      std::count_if(estimated.begin(), estimated.end(), [](Estimate const& e) { return !e.refused; });

  auto const choice = select(Space(), A, {.effort = Effort::exhaustive, .max_seconds = no_limit});

  EXPECT_EQ(static_cast<std::ptrdiff_t>(choice.candidates.size()), accepted + 1);
  EXPECT_GE(accepted, 9) << "all but HYB and, on a GPU, column blocks";
  EXPECT_NE(choice.reason.find("measured"), std::string::npos) << choice.reason;
  EXPECT_EQ(choice.reason.find("not measured"), std::string::npos) << choice.reason;
}

TEST(SelectWithEffort, EstimateIsTheSelectionByModel) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:100000:31");
  for (double const uses : {1.0, 1000.0}) {
    auto const expected = select(Space(), A, uses), choice = select(Space(), A, {.uses = uses});
    EXPECT_EQ(choice.format, expected.format);
    EXPECT_EQ(choice.reason, expected.reason);
  }
  EXPECT_EQ(make_any_matrix(Space(), A, PlanningOptions{}).format(), FormatName::bdia);
  EXPECT_EQ(make_any_matrix(Space(), A, {.effort = Effort::estimate, .uses = 1}).format(), FormatName::csr);
}

/// The times of the formats, not those of the plans of CSR.
WisdomRecord const& formats_in(Wisdom const& wisdom) {
  auto const& records = wisdom.records();
  return std::find_if(records.begin(), records.end(),
                      [](auto const& entry) { return entry.second.matrix_class.starts_with("format "); })
      ->second;
}

TEST(SelectWithEffort, WisdomMakesTheChoiceRepeatable) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:500:5");
  auto const same_class = generate<double, int, int, Device>(Space(), "gen:band:505:5");
  Wisdom wisdom;
  PlanningOptions const options{.effort = Effort::exhaustive, .max_seconds = no_limit, .wisdom = &wisdom};

  auto const measured = select(Space(), A, options);
  ASSERT_EQ(wisdom.records().size(), 2u) << "formats, and algorithms of CSR";
  EXPECT_EQ(formats_in(wisdom).machine, wisdom_machine(Space()));

  for (auto const& matrix : {A, same_class}) {
    auto const known = select(Space(), matrix, options);
    EXPECT_EQ(known.format, measured.format);
    EXPECT_EQ(known.seconds, measured.seconds);
    EXPECT_NE(known.reason.find("from wisdom"), std::string::npos) << known.reason;
    EXPECT_EQ(make_any_matrix(Space(), matrix, options).format(), measured.format);
  }
  EXPECT_EQ(wisdom.records().size(), 2u);
}

/// Of row_team, segmented_sum and others the fastest: that with the smallest time in the wisdom.
TEST(SelectWithEffort, CsrHasTheAlgorithmThatWasTheFastest) {
  using OnlyCsr = FormatList<Csr>;
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:500:5");
  Wisdom wisdom;
  PlanningOptions const options{.effort = Effort::exhaustive, .max_seconds = no_limit, .wisdom = &wisdom};

  auto const measured = select<void, OnlyCsr>(Space(), A, options);

  EXPECT_NE(measured.csr_algorithm, SpmvAlgorithm::automatic);
  EXPECT_EQ((select<void, OnlyCsr>(Space(), A, PlanningOptions{}).csr_algorithm), SpmvAlgorithm::automatic);
  Wisdom known;
  for (auto [key, record] : wisdom.records()) {
    for (auto& time : record.times)
      time.seconds = time.name.starts_with(name_of(SpmvAlgorithm::segmented_sum)) ? 1e-6 : 1e-3;
    known.insert(record);
  }
  auto const matrix = make_any_matrix<void, OnlyCsr>(
      Space(), A, {.effort = Effort::exhaustive, .max_seconds = no_limit, .wisdom = &known});
  EXPECT_EQ(std::get<1>(matrix.plan()).algorithm(), SpmvAlgorithm::segmented_sum);
}

TEST(SelectWithEffort, WisdomGivenByTheCallerIsObeyed) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:band:500:5");
  Wisdom measured, wisdom;
  (void)select(Space(), A, {.effort = Effort::exhaustive, .max_seconds = no_limit, .wisdom = &measured});
  for (auto record : {formats_in(measured)}) {
    for (auto& time : record.times) time.seconds = time.name == "coo" ? 1e-6 : 1e-3, time.setup_seconds = 1e-3;
    wisdom.insert(record);
  }
  auto const choose = [&](double uses) {
    return make_any_matrix(Space(), A, {.effort = Effort::measure, .uses = uses, .wisdom = &wisdom}).format();
  };
  EXPECT_EQ(choose(no_limit), FormatName::coo);
  EXPECT_EQ(choose(1), FormatName::csr);
  EXPECT_EQ(make_any_matrix(Space(), A, {.effort = Effort::estimate, .wisdom = &wisdom}).format(),
            select(Space(), A).format)
      << "estimate does not read wisdom";
}

TEST(SelectWithEffort, RejectsInvalidOptions) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:stencil5:4");
  auto const is_rejected = [&](PlanningOptions const& options, std::string const& part) {
    return throws<InvalidArgument>([&] { (void)select(Space(), A, options); }, {"select: ", part});
  };
  EXPECT_TRUE(is_rejected({.effort = static_cast<Effort>(3)}, "effort is 3"));
  for (double const bad : {-1.0, std::nan("")}) {
    EXPECT_TRUE(is_rejected({.max_seconds = bad}, "max_seconds"));
    EXPECT_TRUE(is_rejected({.uses = bad}, "uses"));
    EXPECT_TRUE(is_rejected({.margin = bad}, "margin"));
  }
  EXPECT_TRUE(is_rejected({.uses = 0}, "uses"));
}

TEST(Effort, ConvertsToItsNameAndBack) {
  for (auto const effort : {Effort::estimate, Effort::measure, Effort::exhaustive})
    EXPECT_EQ(effort_of(name_of(effort)), effort);
  EXPECT_FALSE(effort_of("patient").has_value());
}

TEST(SelectByMeasuring, EmptyMatrices) {
  for (auto const& pattern : battery())
    if (pattern.nnz() == 0 && !pattern.is_large()) {
      EXPECT_FALSE(select_by_measuring(Space(), with_numbers<double>(pattern, Numbers::reals).on_device())
                       .reason.empty());
    }
}

}  // namespace
}  // namespace einkorn::test
