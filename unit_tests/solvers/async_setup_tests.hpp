// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// async_setup(): bit for bit what the same steps give one after another. A file that includes this names
// formats:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Some, AsyncSetupFormats, TestTypes<Of<Dia>, Of<Sell>>);

#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/to_csr.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/to_csr.hpp>
#include <einkorn/solvers/async_setup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// A format that records its input and can simulate a failed allocation.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Listening {
  std::vector<Scalar> values;
};
struct ListeningOptions {
  std::vector<std::vector<double>>* seen = nullptr;
  bool has_no_memory_at_first = false;
};
template <class Scalar, class Ordinal, class Offset, class Device>
void update_values(Space const&, Listening<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Scalar, Ordinal, Offset, Device> const& A, Checks) {
  const_cast<std::vector<Scalar>&>(F.values) = to_host(A.values);
}

}  // namespace einkorn::test

template <>
struct einkorn::FromCsr<einkorn::test::Listening> {
  using Options = einkorn::test::ListeningOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static einkorn::test::Listening<Scalar, Ordinal, Offset, Device> make(
      Exec const&, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    options.seen->push_back(einkorn::test::to_host(A.values));
    if (options.has_no_memory_at_first && options.seen->size() == 1) throw OutOfMemory("none");
    return {options.seen->back()};
  }
};

namespace einkorn::test {
namespace {

using Host = Kokkos::HostSpace::device_type;

template <class View>
void append(std::vector<std::string>& all, View const& view) {
  auto const entries = to_host(view);
  std::string bytes(entries.size() * sizeof(entries[0]), '\0');
  if (!entries.empty()) std::memcpy(bytes.data(), entries.data(), bytes.size());
  all.push_back(bytes);
}

/// Every value that F stores, padding included, and the matrix that it gives back.
template <class F>
std::vector<std::string> bits_of(F const& format) {
  std::vector<std::string> all;
  if constexpr (requires { format.ell; }) {
    append(all, format.ell.values);
    append(all, format.coo.values);
  } else {
    append(all, format.values);
  }
  auto const A = to_csr(Space(), format);
  append(all, A.row_offsets);
  append(all, A.columns);
  append(all, A.values);
  return all;
}
template <class View>
std::vector<std::string> bits_of_view(View const& view) {
  std::vector<std::string> all;
  append(all, view);
  return all;
}

/// With empty rows or columns behind the others.
Pattern made_square(Pattern pattern) {
  pattern.num_rows = pattern.num_cols = std::max(pattern.num_rows, pattern.num_cols);
  pattern.offsets.resize(static_cast<std::size_t>(pattern.num_rows) + 1, pattern.offsets.back());
  return pattern;
}
HostMatrix<double> some_matrix(std::uint64_t seed = 1) {
  return with_numbers<double>(random_pattern(200, 200, 1), Numbers::reals, seed);
}
/// Unsorted, each position of a row three times.
HostMatrix<double> with_repeats() {
  HostMatrix<double> A{9, 9, {0}, {}, {}};
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 3 * i; ++k) A.columns.push_back((k * 5 + i) % 9);
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  A.values = numbers<double>(Numbers::reals, A.columns.size(), 5);
  return A;
}

template <template <class, class, class, class> class Format>
struct Of {
  /// async_setup() and, in order, the steps that it stands for: equal bits, or the same refusal.
  static void expect_same(HostMatrix<double> const& host, HostMatrix<double> const& next) {
    auto const A = host.on_device();
    Kokkos::View<double*, Device> const d("d", host.rows());
    extract_diagonal(Space(), A, d);
    for (bool const early : {true, false}) {
      auto const on_host = host.on_device<Host>();
      auto work =
          async_setup<Format>(Space(), on_host, {.upload = {.chunk_bytes = 10007}, .convert_early = early});
      try {
        auto const want = from_csr<Format>(Space(), A);
        auto const got = work.wait();
        EXPECT_EQ(bits_of(got.matrix), bits_of(want));
        EXPECT_EQ(bits_of_view(got.diagonal), bits_of_view(d));
        EXPECT_EQ(bits_of_view(got.csr.values), bits_of_view(A.values));
        EXPECT_EQ(to_host(got.csr.columns), host.columns);

        work.update_values(next.on_device<Host>());

        auto const again = work.wait();
        auto const B = next.on_device();
        extract_diagonal(Space(), B, d);
        EXPECT_EQ(again.matrix.num_rows, want.num_rows);
        EXPECT_EQ(bits_of(again.matrix), bits_of(from_csr<Format>(Space(), B)));
        EXPECT_EQ(bits_of_view(again.diagonal), bits_of_view(d));
        extract_diagonal(Space(), A, d);
      } catch (FillLimit const& refusal) {
        EXPECT_TRUE(throws<FillLimit>([&] { (void)work.wait(); }, {refusal.what()}));
      }
    }
  }
};

template <class Wrapped>
class AsyncSetupFormats : public testing::Test {};
TYPED_TEST_SUITE_P(AsyncSetupFormats);

TYPED_TEST_P(AsyncSetupFormats, MatchesTheStepsInOrder) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const square = made_square(pattern);
    TypeParam::expect_same(with_numbers<double>(square, Numbers::reals, 1),
                           with_numbers<double>(square, Numbers::reals, 2));
  }
  auto const twice = with_repeats();
  auto next = twice;
  std::reverse(next.values.begin(), next.values.end());
  TypeParam::expect_same(twice, next);
}
REGISTER_TYPED_TEST_SUITE_P(AsyncSetupFormats, MatchesTheStepsInOrder);

TEST(AsyncSetup, ComplexAndLongIndices) {
  auto const host = with_numbers<Complex, std::int64_t, std::size_t>(random_pattern(90, 90, 3), Numbers::reals);
  auto const got =
      async_setup<Sell>(Space(), host.on_device<Host>(), {.format = {.slice_rows = 4}, .convert_early = true})
          .wait();
  EXPECT_EQ(got.matrix.slice_rows, 4);
  EXPECT_EQ(bits_of(got.matrix), bits_of(from_csr<Sell>(Space(), host.on_device(), {.slice_rows = 4})));
}

TEST(AsyncSetup, EmptyMatrix) {
  auto const got = async_setup<Dia>(Space(), Csr<double, int, int, Host>{}).wait();
  EXPECT_EQ(got.matrix.num_rows, 0);
  EXPECT_EQ(got.diagonal.extent(0), 0u);
}

TEST(AsyncSetup, TwoConcurrentAndOneAbandoned) {
  auto const one = some_matrix(1), other = some_matrix(2);
  auto const a = one.on_device<Host>(), b = other.on_device<Host>();
  auto first = async_setup<Sell>(Space(), a);
  auto second = async_setup<Csr5>(Space(), b);
  {
    auto const given_up = async_setup<Dia>(Space(), a);
  }
  auto moved = std::move(first);
  EXPECT_EQ(bits_of(second.wait().matrix), bits_of(from_csr<Csr5>(Space(), other.on_device())));
  EXPECT_EQ(bits_of(moved.wait().matrix), bits_of(from_csr<Sell>(Space(), one.on_device())));
}

TEST(AsyncSetup, EarlyConversion) {
  auto const host = some_matrix();
  std::vector<std::vector<double>> seen;
  auto work =
      async_setup<Listening>(Space(), host.on_device<Host>(), {.format = {&seen}, .convert_early = true});
  EXPECT_EQ(work.wait().matrix.values, host.values);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], std::vector<double>(host.nnz(), 0.0));

  seen.clear();
  auto late =
      async_setup<Listening>(Space(), host.on_device<Host>(), {.format = {&seen}, .convert_early = false});
  EXPECT_EQ(late.wait().matrix.values, host.values);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], host.values);

  seen.clear();
  (void)async_setup<Listening>(Space(), host.on_device<Host>(), {.format = {&seen}}).wait();
  EXPECT_EQ(seen.at(0) == host.values, !detail::stages_copies<Space>);
}

TEST(AsyncSetup, LateConversionWithoutMemory) {
  auto const host = some_matrix();
  std::vector<std::vector<double>> seen;
  auto work =
      async_setup<Listening>(Space(), host.on_device<Host>(), {.format = {&seen, true}, .convert_early = true});
  EXPECT_EQ(work.wait().matrix.values, host.values);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], host.values);
}

TEST(AsyncSetup, WaitThrows) {
  auto bad = some_matrix();
  bad.columns[17] = 200;
  auto const on_host = bad.on_device<Host>();
  for (bool const early : {false, true}) {
    auto work = async_setup<Sell>(Space(), on_host, {.convert_early = early});
    for (int again = 0; again < 2; ++again)
      EXPECT_TRUE(throws<InvalidStructure>([&] { (void)work.wait(); }, {"entry 17 has column 200"}));
    EXPECT_TRUE(throws<InvalidStructure>([&] { work.update_values(on_host); }, {"entry 17 has column 200"}));
    auto full = async_setup<Dia>(Space(), some_matrix().on_device<Host>(),
                                 {.format = {.fill_limit = 1.0}, .convert_early = early});
    EXPECT_TRUE(throws<FillLimit>([&] { (void)full.wait(); }, {"DIA"}));
  }
  EXPECT_EQ(to_host(on_host.columns), bad.columns);
}

TEST(AsyncSetup, InvalidArgumentsThrowAtOnce) {
  auto const wide = HostMatrix<double>{2, 3, {0, 0, 0}, {}, {}}.on_device<Host>();
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)async_setup<Sell>(Space(), wide); }, {"2 x 3", "square"}));
  auto work = async_setup<Sell>(Space(), some_matrix().on_device<Host>());
  EXPECT_TRUE(throws<StalePlan>(
      [&] {
        work.update_values(with_numbers<double>(random_pattern(200, 200, 2), Numbers::reals).on_device<Host>());
      },
      {"200 x 200"}));
  EXPECT_EQ(bits_of(work.wait().matrix), bits_of(from_csr<Sell>(Space(), some_matrix().on_device())));
}

}  // namespace
}  // namespace einkorn::test
