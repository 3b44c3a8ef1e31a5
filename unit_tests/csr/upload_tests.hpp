// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// upload() copies bit for bit; in order, or staged if detail::stages_copies.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"

#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/interop/upload.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Host = Kokkos::HostSpace::device_type;

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class Matrix>
testing::AssertionResult same_bits(Matrix const& got, Matrix const& want) {
  if (got.num_rows != want.num_rows || got.num_cols != want.num_cols)
    return testing::AssertionFailure() << got.num_rows << " x " << got.num_cols;
  if (!same_bits(got.offsets, want.offsets)) return testing::AssertionFailure() << "row_offsets differ";
  if (!same_bits(got.columns, want.columns)) return testing::AssertionFailure() << "columns differ";
  if (!same_bits(got.values, want.values)) return testing::AssertionFailure() << "values differ";
  return testing::AssertionSuccess();
}

HostMatrix<double> matrix_to_upload(std::uint64_t seed = 1) {
  return with_numbers<double>(random_pattern(400, 300, 1), Numbers::reals, seed);
}

template <class C>
class CsrUpload : public testing::Test {};
using UploadTypes = TestTypes<Config<double, int, int>, Config<float, int, std::size_t>,
                              Config<Complex, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(CsrUpload, UploadTypes);

TYPED_TEST(CsrUpload, CopiesTheBattery) {
  for (auto const& pattern : battery()) {
    auto host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    if (!host.values.empty())
      host.values.front() = std::numeric_limits<real_type<typename TypeParam::Scalar>>::signaling_NaN();
    auto const A = host.template on_device<Host>();
    for (auto const& options :
         {UploadOptions{}, UploadOptions{.chunk_bytes = 1009, .threads = 3}, UploadOptions{.threads = 1}}) {
      if (pattern.is_large() && options.chunk_bytes < 2000) continue;

      auto sent = upload(Space(), A, options);
      auto const structure = sent.structure();  // whose values are still being written
      auto const offsets = to_host(structure.row_offsets);
      auto const columns = to_host(structure.columns);
      auto const got = sent.wait();

      EXPECT_EQ(offsets, host.offsets) << pattern.name;
      EXPECT_EQ(columns, host.columns) << pattern.name;
      EXPECT_TRUE(same_bits(to_host(got), host)) << pattern.name;
      EXPECT_EQ(sent.bytes(),
                host.offsets.size() * sizeof(typename TypeParam::Offset) +
                    host.nnz() * (sizeof(typename TypeParam::Ordinal) + sizeof(typename TypeParam::Scalar)));
    }
    EXPECT_TRUE(same_bits(to_host(A), host)) << pattern.name;
  }
}

/// With the members of a KokkosSparse::CrsMatrix.
struct HostCrs {
  using value_type = double;
  using ordinal_type = int;
  using size_type = int const;
  using device_type = Host;
  struct {
    Kokkos::View<int const*, Host> row_map, entries;
  } graph;
  Kokkos::View<double*, Host> values;
  [[nodiscard]] int numRows() const { return static_cast<int>(graph.row_map.extent(0)) - 1; }
  [[nodiscard]] int numCols() const { return 300; }
};

TEST(UploadOfACsr, CrsMatrixAndConstValues) {
  auto const host = matrix_to_upload();
  auto const A = host.on_device<Host>();
  HostCrs const crs{{A.row_offsets, A.columns}, A.values};
  Csr<double const, int, int, Host> const constants = A;
  EXPECT_TRUE(same_bits(to_host(upload(Space(), crs).wait()), host));
  EXPECT_TRUE(same_bits(to_host(upload(Space(), constants).wait()), host));
}

TEST(UploadOfACsr, DoesNotShareMemory) {
  auto const host = matrix_to_upload();
  auto const A = host.on_device<Host>();
  auto const got = upload(Space(), A).wait();
  EXPECT_NE(static_cast<void const*>(got.values.data()), static_cast<void const*>(A.values.data()));
  Kokkos::deep_copy(A.values, 0.0);
  EXPECT_TRUE(same_bits(to_host(got), host));
}

TEST(UploadOfACsr, EmptyMatrix) {
  auto sent = upload(Space(), Csr<double, int, int, Host>{});
  EXPECT_EQ(sent.wait().num_rows, 0);
  EXPECT_EQ(sent.wait().row_offsets.extent(0), 0u);
  EXPECT_EQ(sent.bytes(), 0u);
  sent.update_values(Csr<double, int, int, Host>{});
  EXPECT_EQ(sent.wait().nnz(), 0);
}

TEST(UploadOfACsr, TwoConcurrentAndOneCancelled) {
  auto const one = matrix_to_upload(1), other = matrix_to_upload(2);
  UploadOptions const options{.chunk_bytes = 100, .threads = 2};
  auto const a = one.on_device<Host>(), b = other.on_device<Host>();
  auto first = upload(Space(), a, options), second = upload(Space(), b, options);
  {
    auto const given_up = upload(Space(), a, options);
  }
  auto moved = std::move(first);
  EXPECT_TRUE(same_bits(to_host(second.wait()), other));
  EXPECT_TRUE(same_bits(to_host(moved.wait()), one));
}

TEST(UploadOfACsr, NewValuesKeepTheAddress) {
  auto const host = matrix_to_upload(1), other = matrix_to_upload(2);
  auto sent = upload(Space(), host.on_device<Host>(), {.chunk_bytes = 100, .threads = 2});
  auto const got = sent.wait();
  for (auto const* const next : {&other, &host}) {
    sent.update_values(next->on_device<Host>());
    EXPECT_EQ(sent.wait().values.data(), got.values.data());
    EXPECT_TRUE(same_bits(to_host(got), *next));
  }
  sent.update_values(other.on_device<Host>());
  sent.update_values(host.on_device<Host>());
  EXPECT_TRUE(same_bits(to_host(sent.wait()), host)) << "the second waits for the first";
}

TEST(UploadOfACsr, NewValuesAllocateNothing) {
  if (detail::stages_copies<Space>) GTEST_SKIP() << "what watches hears of several threads there";
  auto const A = matrix_to_upload().on_device<Host>();
  auto sent = upload(Space(), A);
  sent.wait();
  Watch const watch;
  sent.update_values(A);
  sent.wait();
  EXPECT_TRUE(watch.seen().allocations.empty() && watch.seen().launches.empty());
  EXPECT_EQ(watch.seen().copies.size(), 1u);
  EXPECT_EQ(watch.copied_bytes(), A.values.extent(0) * sizeof(double));
}

TEST(UploadOfACsr, HostCopiesAreInOrder) {
  if (detail::stages_copies<Space>) GTEST_SKIP();
  auto const A = matrix_to_upload().on_device<Host>();
  Watch const watch;
  auto const sent = upload(Space(), A);
  ASSERT_EQ(watch.seen().copies.size(), 3u);
  EXPECT_EQ(watch.seen().copies[0].label, "einkorn::Upload::row_offsets");
  EXPECT_EQ(watch.seen().copies[1].label, "einkorn::Upload::columns");
  EXPECT_EQ(watch.seen().copies[2].label, "einkorn::Upload::values");
  EXPECT_EQ(watch.copied_bytes(), sent.bytes());
  EXPECT_EQ(watch.seen().allocations.size(), 3u);
}

TEST(UploadOfACsr, StagingIsReusable) {
  auto const host = matrix_to_upload(1), other = matrix_to_upload(2);
  UploadOptions const options{.chunk_bytes = 128, .threads = 3};
  UploadStaging<Space> const staging(Space(), options);
  EXPECT_EQ(staging.bytes(), detail::stages_copies<Space> ? 3u * 128u : 0u);
  EXPECT_EQ(UploadStaging<Space>().bytes(), 0u);
  auto first = upload(Space(), host.on_device<Host>(), options, staging);
  if (detail::stages_copies<Space>) {
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { (void)upload(Space(), other.on_device<Host>(), options, staging); }, {"staging serves"}));
  }
  EXPECT_TRUE(same_bits(to_host(first.wait()), host));
  EXPECT_TRUE(same_bits(to_host(upload(Space(), other.on_device<Host>(), options, staging).wait()), other));
  {
    auto const given_up = upload(Space(), other.on_device<Host>(), options, staging);
  }
  first.update_values(other.on_device<Host>());
  EXPECT_TRUE(same_bits(to_host(first.wait()), other));
}

TEST(UploadOfACsr, InvalidStructureThrows) {
  auto bad = matrix_to_upload();
  bad.columns[17] = 300;
  auto sent = upload(Space(), bad.on_device<Host>());
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(
        throws<InvalidStructure>([&] { (void)sent.structure(); }, {"entry 17 has column 300", "0 .. 300"}));
    EXPECT_TRUE(throws<InvalidStructure>([&] { (void)sent.wait(); }, {"entry 17 has column 300"}));
  }
  auto unchecked = upload(Space(), bad.on_device<Host>(), {.checks = Checks::off});
  EXPECT_TRUE(same_bits(to_host(unchecked.wait()), bad));
  bad = matrix_to_upload();
  bad.offsets[0] = 1;
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)upload(Space(), bad.on_device<Host>()).wait(); },
                                       {"row_offsets(0) is 1"}));
}

TEST(UploadOfACsr, InvalidArgumentsThrowBeforeAllocation) {
  auto bad = matrix_to_upload();
  bad.columns.pop_back();
  auto const short_columns = bad.on_device<Host>();
  auto const good = matrix_to_upload().on_device<Host>();
  Watch const watch;
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)upload(Space(), short_columns); }, {"columns has"}));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { (void)upload(Space(), good, {.chunk_bytes = 0}); }, {"chunk_bytes is 0"}));
  for (int const threads : {-1, 65})
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)upload(Space(), good, {.threads = threads}); },
                                        {"threads is " + std::to_string(threads)}));
  EXPECT_TRUE(watch.seen().allocations.empty());
}

TEST(UploadOfACsr, ValuesOfAnotherSizeThrow) {
  auto const host = matrix_to_upload();
  auto sent = upload(Space(), host.on_device<Host>());
  auto const other = with_numbers<double>(random_pattern(400, 300, 2), Numbers::reals).on_device<Host>();
  EXPECT_TRUE(throws<StalePlan>([&] { sent.update_values(other); }, {"400 x 300", "given one of"}));
  EXPECT_TRUE(same_bits(to_host(sent.wait()), host));
}

TEST(UploadOfACsr, OutOfMemoryNamesTheBytes) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends the program where no memory can be had";
#endif
  auto A = matrix_to_upload().on_device<Host>();
  std::size_t const entries = std::size_t(1) << 57;  // never read
  Csr<double, int, std::size_t, Host> const huge{400, 300, Kokkos::View<std::size_t*, Host>("offsets", 401),
                                                 Kokkos::View<int const*, Host>(A.columns.data(), entries),
                                                 Kokkos::View<double*, Host>(A.values.data(), entries)};
  EXPECT_TRUE(throws<OutOfMemory>([&] { (void)upload(Space(), huge); },
                                  {"einkorn::Upload::columns", std::to_string(entries * sizeof(int))}));
}

}  // namespace
}  // namespace einkorn::test
