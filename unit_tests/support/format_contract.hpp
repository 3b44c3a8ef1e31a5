// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// The tests that every format must pass. The tests of a format instantiate them once:
//
//   template <class C> struct EllSubject { ... };
//   EINKORN_INSTANTIATE_FORMAT_CONTRACT(Ell, EllSubject);
//
// A Subject, for one choice of types C (Scalar, Ordinal, Offset), has
//   using Config = C;
//   using Options = ...;                                   checks, and fill_limit unless stored is 0
//   static std::vector<std::pair<std::string, Options>> variants();   by name, the default first
//   static auto make(Csr const& A, Options const&);        from_csr<Format>(Space(), A, options)
//   static double stored(Host const& A, Options const&);   stored slots; 0 for a format without padding
//   static Host returned(Host const& A);                   the expected result of to_csr
//   static constexpr bool isolates_nan;                    NaN in x only affects rows with an entry there

#include "battery.hpp"
#include "float_values.hpp"
#include "format_contract_checks.hpp"
#include "near.hpp"
#include "throws.hpp"
#include "vectors.hpp"
#include "watch.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
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

/// Tests that depend on the arithmetic of the types: all Subjects.
template <class Subject>
class FormatContract : public testing::Test {};
TYPED_TEST_SUITE_P(FormatContract);

/// Tests that depend on complex scalars and index types, not on the precision: two Subjects.
template <class Subject>
class FormatOperands : public testing::Test {};
TYPED_TEST_SUITE_P(FormatOperands);

/// Tests that do not depend on the types: one Subject.
template <class Subject>
class FormatBehavior : public testing::Test {};
TYPED_TEST_SUITE_P(FormatBehavior);

TYPED_TEST_P(FormatContract, AgreesWithTheOracle) {
  contract::for_each_in_battery<TypeParam>(
      {Numbers::integers, Numbers::reals},
      [](auto const& host, auto const& make, Numbers kind) { contract::expect_products(make(), host, kind); });
}

TYPED_TEST_P(FormatContract, ConvertsBackToTheSameCsr) {
  contract::for_each_in_battery<TypeParam>({Numbers::reals}, [](auto const& host, auto const& make, Numbers) {
    EXPECT_TRUE(contract::same_matrix(to_host(to_csr(Space(), make())), TypeParam::returned(host)));
  });
}

TYPED_TEST_P(FormatBehavior, SameBitsInEveryRun) {
  using S = typename TypeParam::Config::Scalar;
  contract::for_each_in_battery<TypeParam>({Numbers::reals}, [](auto const& host, auto const& make, Numbers) {
    constexpr double max_stored = is_gpu<Space> ? 1e6 : 2e5;
    if (host.rows() > 50000 || TypeParam::stored(host, TypeParam::variants()[0].second) > max_stored) return;
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

TYPED_TEST_P(FormatOperands, AcceptsAllVectorLayouts) {
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

TYPED_TEST_P(FormatOperands, UpdatesValuesAndRejectsAnotherStructure) {
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
        contract::expect_products(F, old_host, Numbers::integers);

        for (auto const checks : {Checks::on, Checks::off}) {
          update_values(Space(), F, host.on_device(), checks);
          contract::expect_products(F, host, Numbers::integers);
          auto const x = numbers<S>(Numbers::integers, host.cols(), 2);
          auto const y = to_device(std::vector<S>(host.rows()));
          spmv(Space(), plan, S(1), to_device(x), S(0), y);
          EXPECT_TRUE(agrees(to_host(y), expected<S>(host, x, S(1), S(0)), std::vector<S>(host.rows()), true))
              << "the plan shares the memory";
          update_values(Space(), F, old_host.on_device(), checks);
        }
      }
}

TYPED_TEST_P(FormatBehavior, RejectsFillAboveTheLimitWithoutAllocation) {
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

TYPED_TEST_P(FormatBehavior, RejectsInvalidMatrices) {
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

TYPED_TEST_P(FormatBehavior, RejectsVectorsOfWrongExtent) {
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
      bool const covers_y =
          array.extent(0) * sizeof(Entry) >= 40 * sizeof(S);  // otherwise y overlaps following arrays
      EXPECT_TRUE(throws<InvalidArgument>([&] { multiply(x, over); },
                                          {covers_y ? std::string("y overlaps the ") + name : "overlap"}));
    });
    EXPECT_TRUE(throws<InvalidArgument>([&] { multiply(x, Vector(nullptr, 40)); }, {"y is not allocated"}));
  }
}

TYPED_TEST_P(FormatContract, PropagatesNaNOnlyToRowsThatUseIt) {
  using S = typename TypeParam::Config::Scalar;
  if constexpr (TypeParam::isolates_nan)
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

TYPED_TEST_P(FormatBehavior, SpmvNeitherFencesNorAllocates) {
  using S = typename TypeParam::Config::Scalar;
  auto const host = with_numbers_of<typename TypeParam::Config>(random_pattern(400, 300, 5), Numbers::reals);
  auto const F = contract::of<TypeParam>(host);
  auto const plan = make_spmv_plan(Space(), F);
  Kokkos::View<S*, Device> const x("x", 300), y("y", 400);
  spmv(Space(), plan, S(1), x, S(0), y);  // one-time initialization by Kokkos at the first launch
  spmv(Space(), S(1), F, x, S(0), y);
  Space().fence();
  Watch const watch;

  spmv(Space(), plan, S(1), x, S(0), y);
  spmv(Space(), S(1), F, x, S(0), y);

  EXPECT_TRUE(watch.seen().fences.empty()) << watch.seen().fences.front();
  EXPECT_TRUE(watch.seen().allocations.empty()) << watch.seen().allocations.front().label;
  EXPECT_TRUE(watch.seen().copies.empty());
}

TYPED_TEST_P(FormatContract, SumsFloatValuesInDouble) {
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

REGISTER_TYPED_TEST_SUITE_P(FormatContract, AgreesWithTheOracle, ConvertsBackToTheSameCsr,
                            PropagatesNaNOnlyToRowsThatUseIt, SumsFloatValuesInDouble);
REGISTER_TYPED_TEST_SUITE_P(FormatOperands, AcceptsAllVectorLayouts, UpdatesValuesAndRejectsAnotherStructure);
REGISTER_TYPED_TEST_SUITE_P(FormatBehavior, SameBitsInEveryRun, RejectsFillAboveTheLimitWithoutAllocation,
                            RejectsInvalidMatrices, RejectsVectorsOfWrongExtent, SpmvNeitherFencesNorAllocates);

#define EINKORN_INSTANTIATE_FORMAT_CONTRACT(Name, Subject)                             \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatContract, Subjects<Subject>);             \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatOperands, SubjectsOfTwoScalars<Subject>); \
  INSTANTIATE_TYPED_TEST_SUITE_P(Name, FormatBehavior, FirstSubject<Subject>)

}  // namespace einkorn::test
