// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// What every format has to keep, whatever its kernels. The tests of a format instantiate it once:
//
//   template <class C> struct EllSubject { ... };
//   EINKORN_INSTANTIATE_FORMAT_CONTRACT(Ell, EllSubject);
//
// clang-format off
// A Subject, for one choice of types C (Scalar, Ordinal, Offset), has
//   using Config = C;
//   using Options = ...;                                   the format's, with checks; fill_limit where stored is not 0
//   static std::vector<std::pair<std::string, Options>> variants();   by name, the default first
//   static auto make(Csr const& A, Options const&);        from_csr<Format>(Space(), A, options)
//   static double stored(Host const& A, Options const&);   entries that the format stores; 0: it has no padding
//   static Host returned(Host const& A);                   what to_csr must give: A, or A without what is dropped
//   static constexpr bool keeps_nan_apart;                 NaN in x reaches only rows that have an entry there
// clang-format on

#include "battery.hpp"
#include "float_values.hpp"
#include "near.hpp"
#include "throws.hpp"
#include "vectors.hpp"
#include "watch.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {

template <template <class> class Subject>
using Subjects = TestTypes<Subject<Config<double, int, int>>, Subject<Config<float, int, std::size_t>>,
                           Subject<Config<Complex, std::int64_t, std::size_t>>>;
template <template <class> class Subject>
using SubjectsOfTwoScalars =
    TestTypes<Subject<Config<double, int, int>>, Subject<Config<Complex, std::int64_t, std::size_t>>>;
template <template <class> class Subject>
using FirstSubject = TestTypes<Subject<Config<double, int, int>>>;

/// A with sorted rows, positions that repeat added up in their order, and stored zeros dropped: what a format
/// without an index an entry can give back.
template <class Host>
Host sorted_without_zeros(Host const& A) {
  using S = typename Host::Scalar;
  Host B{A.num_rows, A.num_cols, {typename Host::Offset(0)}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    std::map<typename Host::Ordinal, S> row;
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const [at, is_new] = row.try_emplace(A.columns[k], A.values[k]);
      if (!is_new) at->second += A.values[k];
    }
    for (auto const& [column, value] : row)
      if (value != S(0)) {
        B.columns.push_back(column);
        B.values.push_back(value);
      }
    B.offsets.push_back(static_cast<typename Host::Offset>(B.values.size()));
  }
  return B;
}

namespace contract {

inline constexpr double max_stored = 2e7;  // of what a test lets a padded format allocate

template <class Options>
Options without_fill_limit(Options options) {
  if constexpr (requires { options.fill_limit; }) options.fill_limit = 1e30;
  return options;
}

/// The battery in every variant that fits in memory: body(host, make() gives the format, kind).
template <class Subject, class Body>
void on_the_battery(std::vector<Numbers> const& kinds, Body const& body) {
  for (auto const& pattern : battery())
    for (auto const kind : kinds) {
      auto const host = with_numbers_of<typename Subject::Config>(pattern, kind);
      auto const A = host.on_device();
      for (auto const& [name, options] : Subject::variants()) {
        if (Subject::stored(host, options) > max_stored) continue;
        SCOPED_TRACE(pattern.name + (kind == Numbers::integers ? ", integers, " : ", reals, ") + name);
        body(host, [&, options = without_fill_limit(options)] { return Subject::make(A, options); }, kind);
      }
    }
}

template <class Subject, class Format, class Host>
void expect_products(Format const& F, Host const& host, Numbers kind) {
  using S = typename Host::Scalar;
  auto const x = numbers<S>(kind, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const plan = make_spmv_plan(Space(), F);
  Expected<S> expected{row_sums<S>(host, x), S(0), S(0)};
  for (auto const& [alpha, beta] : {std::pair{S(1), S(0)}, std::pair{S(-2.5), S(0.5)}, std::pair{S(0), S(2)}}) {
    auto const before =
        beta == S(0) ? std::vector<S>(host.rows(), not_a_number<S>()) : numbers<S>(kind, host.rows(), 3);
    auto const y = to_device(before), planned_y = to_device(before);

    spmv(Space(), alpha, F, device_x, beta, y);
    spmv(Space(), plan, alpha, device_x, beta, planned_y);

    expected.alpha = alpha;
    expected.beta = beta;
    EXPECT_TRUE(agrees(to_host(y), expected, before, kind == Numbers::integers))
        << "no plan, alpha " << alpha << ", beta " << beta;
    EXPECT_TRUE(agrees(to_host(planned_y), expected, before, kind == Numbers::integers))
        << "plan, alpha " << alpha << ", beta " << beta;
  }
}

template <class Subject>
auto of(HostMatrixOf<typename Subject::Config> const& host) {
  return Subject::make(host.on_device(), without_fill_limit(Subject::variants()[0].second));
}

template <class Host>
testing::AssertionResult same_matrix(Host const& got, Host const& want) {
  if (got.num_rows != want.num_rows || got.num_cols != want.num_cols)
    return testing::AssertionFailure() << got.num_rows << " x " << got.num_cols;
  if (got.offsets != want.offsets) return testing::AssertionFailure() << "row_offsets differ";
  if (got.columns != want.columns) return testing::AssertionFailure() << "columns differ";
  if (got.values != want.values) return testing::AssertionFailure() << "values differ";
  return testing::AssertionSuccess();
}

}  // namespace contract

/// What depends on the arithmetic of the types: all of Subjects.
template <class Subject>
class FormatContract : public testing::Test {};
TYPED_TEST_SUITE_P(FormatContract);

/// What depends on the scalar and the index types, not on the precision: two of Subjects.
template <class Subject>
class FormatOperands : public testing::Test {};
TYPED_TEST_SUITE_P(FormatOperands);

/// What no type changes: one of Subjects.
template <class Subject>
class FormatBehavior : public testing::Test {};
TYPED_TEST_SUITE_P(FormatBehavior);

TYPED_TEST_P(FormatContract, AgreesWithTheOracleOnEveryMatrixOfTheBattery) {
  contract::on_the_battery<TypeParam>({Numbers::integers, Numbers::reals},
                                      [](auto const& host, auto const& make, Numbers kind) {
                                        contract::expect_products<TypeParam>(make(), host, kind);
                                      });
}

TYPED_TEST_P(FormatContract, TurnsBackIntoTheCsrItWasMadeFrom) {
  contract::on_the_battery<TypeParam>({Numbers::reals}, [](auto const& host, auto const& make, Numbers) {
    EXPECT_TRUE(contract::same_matrix(to_host(to_csr(Space(), make())), TypeParam::returned(host)));
  });
}

TYPED_TEST_P(FormatBehavior, GivesTheSameBitsOnEveryRun) {
  using S = typename TypeParam::Config::Scalar;
  contract::on_the_battery<TypeParam>({Numbers::reals}, [](auto const& host, auto const& make, Numbers) {
    if (host.rows() > 50000 || TypeParam::stored(host, TypeParam::variants()[0].second) > 1e6) return;
    auto const x = to_device(numbers<S>(Numbers::reals, host.cols(), 2));
    auto const before = numbers<S>(Numbers::reals, host.rows(), 3);
    for (bool const planned : {false, true}) {
      std::vector<S> first;
      for (int run = 0; run < 5; ++run) {
        auto const F = make();
        auto const plan = make_spmv_plan(Space(), F);
        for (int again = 0; again < 2; ++again) {
          auto const y = to_device(before);
          if (planned)
            spmv(Space(), plan, S(0.75), x, S(0.5), y);
          else
            spmv(Space(), S(0.75), F, x, S(0.5), y);
          if (first.empty()) first = to_host(y);
          ASSERT_EQ(to_host(y), first) << "run " << run << (planned ? ", plan" : "");
        }
      }
    }
  });
}

TYPED_TEST_P(FormatOperands, TakesEveryFormOfVector) {
  using S = typename TypeParam::Config::Scalar;
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers_of<typename TypeParam::Config>(pattern, Numbers::integers);
    auto const F = contract::of<TypeParam>(host);
    auto const plan = make_spmv_plan(Space(), F);
    expect_every_form_of_vector<S>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), alpha, F, x, beta, y);
    });
    expect_every_form_of_vector<S>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
      spmv(Space(), plan, alpha, x, beta, y);
    });
  }
}

TYPED_TEST_P(FormatOperands, SeesNewValuesAndRefusesAnotherStructure) {
  using S = typename TypeParam::Config::Scalar;
  for (auto const* const name : {"random, seed 1", "rows of 33", "columns not sorted", "positions that repeat"})
    for (auto const& pattern : battery())
      if (pattern.name == name) {
        SCOPED_TRACE(name);
        auto const old_host = with_numbers_of<typename TypeParam::Config>(pattern, Numbers::integers, 1);
        auto const host = with_numbers_of<typename TypeParam::Config>(pattern, Numbers::integers, 9);
        auto elsewhere = old_host;
        auto& column = elsewhere.columns.front();
        column = column == 0 ? 1 : 0;
        auto wider = old_host;
        ++wider.num_cols;
        auto const fewer =
            with_numbers_of<typename TypeParam::Config>(random_pattern(20, 10, 3), Numbers::integers);
        auto const F = contract::of<TypeParam>(old_host);
        auto const plan = make_spmv_plan(Space(), F);
        EXPECT_TRUE(
            throws<StalePlan>([&] { update_values(Space(), F, elsewhere.on_device()); }, {"elsewhere"}));
        for (auto const checks : {Checks::on, Checks::off}) {
          EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), F, wider.on_device(), checks); },
                                        {std::to_string(host.num_cols), std::to_string(wider.num_cols)}));
          EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), F, fewer.on_device(), checks); },
                                        {std::to_string(host.nnz()), std::to_string(fewer.nnz())}));
        }
        contract::expect_products<TypeParam>(F, old_host, Numbers::integers);

        for (auto const checks : {Checks::on, Checks::off}) {
          update_values(Space(), F, host.on_device(), checks);
          contract::expect_products<TypeParam>(F, host, Numbers::integers);
          auto const x = numbers<S>(Numbers::integers, host.cols(), 2);
          auto const y = to_device(std::vector<S>(host.rows()));
          spmv(Space(), plan, S(1), to_device(x), S(0), y);
          EXPECT_TRUE(agrees(to_host(y), expected<S>(host, x, S(1), S(0)), std::vector<S>(host.rows()), true))
              << "the plan shares the memory";
          update_values(Space(), F, old_host.on_device(), checks);
        }
      }
}

TYPED_TEST_P(FormatBehavior, RefusesFillAboveTheLimitBeforeItAllocates) {
  if constexpr (requires(typename TypeParam::Options options) { options.fill_limit; }) {
    int refused = 0;
    for (auto const& pattern : battery()) {
      SCOPED_TRACE(pattern.name);
      auto const host = with_numbers_of<typename TypeParam::Config>(pattern, Numbers::reals);
      auto const options = TypeParam::variants()[0].second;
      double const stored = TypeParam::stored(host, options);
      auto const nnz = static_cast<double>(host.nnz());
      auto const A = host.on_device();
      if (stored <= options.fill_limit * nnz) {
        EXPECT_NO_THROW((void)TypeParam::make(A, options));
        continue;
      }
      ++refused;
      Watch const watch;
      EXPECT_TRUE(throws<FillLimit>([&] { (void)TypeParam::make(A, options); },
                                    {std::to_string(host.nnz()), "limit is 3"}));
      auto const bytes = sizeof(typename TypeParam::Config::Scalar) * stored;
      auto const a_row =
          64.0 * static_cast<double>(host.rows() + host.cols() + 1000);  // lengths, flags, orders
      for (auto const& allocation : watch.seen().allocations) {
        auto const asked = static_cast<double>(allocation.bytes);
        EXPECT_TRUE(asked < bytes || asked < a_row) << allocation.label;
      }
    }
    EXPECT_GT(refused, 0);
  }
}

TYPED_TEST_P(FormatBehavior, RefusesWhatIsNoMatrix) {
  using Host = HostMatrixOf<typename TypeParam::Config>;
  auto const good = with_numbers_of<typename TypeParam::Config>(random_pattern(40, 30, 5), Numbers::integers);
  auto const refused = [&](Host const& host, char const* what) {
    EXPECT_TRUE(throws<InvalidStructure>([&] { (void)contract::of<TypeParam>(host); }, {what})) << what;
  };
  auto out_of_range = good, negative = good, decreasing = good;
  out_of_range.columns.back() = 30;
  negative.columns.front() = -1;
  decreasing.offsets[20] = decreasing.offsets[21] + 1;
  refused(out_of_range, "30");
  refused(negative, "-1");
  refused(decreasing, "row_offsets");
}

TYPED_TEST_P(FormatBehavior, RefusesVectorsThatDoNotFit) {
  using S = typename TypeParam::Config::Scalar;
  using Vector = Kokkos::View<S*, Device>;
  auto const host = with_numbers_of<typename TypeParam::Config>(random_pattern(40, 40, 5), Numbers::integers);
  auto const F = contract::of<TypeParam>(host);
  Vector const x("x", 40), y("y", 40), long_x("x", 41), short_y("y", 39);
  Kokkos::View<S**, Kokkos::LayoutLeft, Device> const two("x", 40, 2), three("y", 40, 3);
  for (bool const planned : {false, true}) {
    auto const multiply = [&](auto const& from, auto const& to) {
      if (planned)
        spmv(Space(), make_spmv_plan(Space(), F), S(1), from, S(0), to);
      else
        spmv(Space(), S(1), F, from, S(0), to);
    };
    EXPECT_TRUE(throws<DimensionMismatch>([&] { multiply(long_x, y); }, {"x has extent(0) = 41", "40"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { multiply(x, short_y); }, {"y has extent(0) = 39", "40"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { multiply(two, three); }, {"x has extent(1) = 2", "3"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { multiply(x, x); }, {"overlap"}));
    F.visit_arrays([&](char const* name, auto const& array) {
      using Entry = typename std::decay_t<decltype(array)>::non_const_value_type;
      if (array.extent(0) == 0) return;
      Kokkos::View<S*, Device, Kokkos::MemoryUnmanaged> const over(
          reinterpret_cast<S*>(const_cast<Entry*>(array.data())), 40);
      bool const covers_y = array.extent(0) * sizeof(Entry) >= 40 * sizeof(S);  // else y meets others behind it
      EXPECT_TRUE(throws<InvalidArgument>([&] { multiply(x, over); },
                                          {covers_y ? std::string("y overlaps the ") + name : "overlap"}));
    });
    EXPECT_TRUE(throws<InvalidArgument>([&] { multiply(x, Vector(nullptr, 40)); }, {"y is not allocated"}));
  }
}

TYPED_TEST_P(FormatContract, KeepsNaNInTheRowsThatUseIt) {
  using S = typename TypeParam::Config::Scalar;
  if constexpr (TypeParam::keeps_nan_apart)
    for (auto const& pattern : battery()) {
      if (pattern.is_large() || pattern.num_cols == 0) continue;
      SCOPED_TRACE(pattern.name);
      auto const host = with_numbers_of<typename TypeParam::Config>(pattern, Numbers::integers);
      if (TypeParam::stored(host, TypeParam::variants()[0].second) > contract::max_stored) continue;
      std::vector<S> x(host.cols(), S(1));
      x[0] = not_a_number<S>();
      auto const y = to_device(std::vector<S>(host.rows(), not_a_number<S>()));

      spmv(Space(), S(1), contract::of<TypeParam>(host), to_device(x), S(0), y);

      auto const got = to_host(y);
      for (std::size_t i = 0; i < host.rows(); ++i) {
        bool uses = false;
        for (auto k = host.begin(i); k < host.end(i); ++k) uses = uses || host.column(k) == 0;
        ASSERT_EQ(is_nan(got[i]), uses) << "row " << i;
      }
    }
}

TYPED_TEST_P(FormatBehavior, NeitherFencesNorAllocatesInAnSpmv) {
  using S = typename TypeParam::Config::Scalar;
  auto const host = with_numbers_of<typename TypeParam::Config>(random_pattern(400, 300, 5), Numbers::reals);
  auto const F = contract::of<TypeParam>(host);
  auto const plan = make_spmv_plan(Space(), F);
  Kokkos::View<S*, Device> const x("x", 300), y("y", 400);
  spmv(Space(), plan, S(1), x, S(0), y);  // what Kokkos itself sets up at a first launch
  spmv(Space(), S(1), F, x, S(0), y);
  Space().fence();
  Watch const watch;

  spmv(Space(), plan, S(1), x, S(0), y);
  spmv(Space(), S(1), F, x, S(0), y);

  EXPECT_TRUE(watch.seen().fences.empty()) << watch.seen().fences.front();
  EXPECT_TRUE(watch.seen().allocations.empty()) << watch.seen().allocations.front().label;
  EXPECT_TRUE(watch.seen().copies.empty());
}

TYPED_TEST_P(FormatContract, AddsProductsOfFloatValuesUpInDouble) {
  if constexpr (std::is_same_v<typename TypeParam::Config::Scalar, float>) {
    std::size_t missed_in_float = 0;
    for (auto const& pattern : battery()) {
      auto const wide = with_full_precision<typename TypeParam::Config>(pattern, 1);
      auto const narrow = convert_values<float>(Space(), wide.on_device());
      auto const other = convert_values<float>(
          Space(), with_full_precision<typename TypeParam::Config>(pattern, 9).on_device());
      auto const stored = TypeParam::returned(to_host(narrow));
      auto const x = full_precision(wide.cols(), 2);
      for (auto const& [name, options] : TypeParam::variants()) {
        if (TypeParam::stored(to_host(narrow), options) > contract::max_stored) continue;
        SCOPED_TRACE(pattern.name + ", " + name);
        auto const F = TypeParam::make(other, contract::without_fill_limit(options));
        update_values(Space(), F, wide.on_device());
        auto const plan = make_spmv_plan<double>(Space(), F);
        auto const y = to_device(std::vector<double>(wide.rows(), not_a_number<double>()));
        auto const planned_y = to_device(to_host(y));

        spmv(Space(), 1.0, F, to_device(x), 0.0, y);
        spmv(Space(), plan, 1.0, to_device(x), 0.0, planned_y);

        EXPECT_TRUE(within_bound_of_double(stored, x, to_host(y)));
        EXPECT_TRUE(within_bound_of_double(stored, x, to_host(planned_y))) << "plan";
      }
      missed_in_float += within_bound_of_double(stored, x, sums_in_float(stored, x)) ? 0 : 1;
    }
    EXPECT_GT(missed_in_float, battery().size() / 2) << "the bound tells float from double";
  }
}

REGISTER_TYPED_TEST_SUITE_P(FormatContract, AgreesWithTheOracleOnEveryMatrixOfTheBattery,
                            TurnsBackIntoTheCsrItWasMadeFrom, KeepsNaNInTheRowsThatUseIt,
                            AddsProductsOfFloatValuesUpInDouble);
REGISTER_TYPED_TEST_SUITE_P(FormatOperands, TakesEveryFormOfVector, SeesNewValuesAndRefusesAnotherStructure);
REGISTER_TYPED_TEST_SUITE_P(FormatBehavior, GivesTheSameBitsOnEveryRun,
                            RefusesFillAboveTheLimitBeforeItAllocates, RefusesWhatIsNoMatrix,
                            RefusesVectorsThatDoNotFit, NeitherFencesNorAllocatesInAnSpmv);

#define EINKORN_INSTANTIATE_FORMAT_CONTRACT(Name, Subject)                             \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatContract, Subjects<Subject>);             \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatOperands, SubjectsOfTwoScalars<Subject>); \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatBehavior, FirstSubject<Subject>)

}  // namespace einkorn::test
