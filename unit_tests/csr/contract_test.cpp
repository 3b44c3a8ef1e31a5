// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Exceptions of spmv and their messages; NaN; plans whose matrix changes.

#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Unmanaged = Kokkos::View<double*, Device, Kokkos::MemoryUnmanaged>;

/// A 40 x 30 matrix, a valid x, and a y that an error must not change.
class CsrSpmvErrors : public testing::Test {
 protected:
  HostMatrix<double> host = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers);
  Csr<double, int, int, Device> A = host.on_device();
  Vector x = to_device(numbers<double>(Numbers::integers, 30, 2));
  std::vector<double> before = numbers<double>(Numbers::integers, 40, 3);
  Vector y = to_device(before);

  void TearDown() override { EXPECT_EQ(to_host(y), before) << "y was changed"; }
};

TEST_F(CsrSpmvErrors, WrongExtents) {
  Vector const long_x("x", 31), short_y("y", 39);
  auto const plan = make_spmv_plan(Space(), A);
  auto const transposed_plan = make_spmv_plan(Space(), A, {.op = Op::transpose});
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, A, long_x, 0, y); },
                                        {"spmv", "x has extent(0) = 31", "expected 30", "columns"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), plan, 1, long_x, 0, y); }, {"31", "expected 30"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, A, x, 0, short_y); },
                                        {"y has extent(0) = 39", "expected 40", "rows"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), plan, 1, x, 0, short_y); }, {"39", "expected 40"}));
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { spmv(Space(), transposed_plan, 1, x, 0, y); }, {"30", "expected 40"}));
  SpmvOptions const scatter{.op = Op::transpose, .algorithm = SpmvAlgorithm::atomic_scatter};
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, A, x, 0, y, scatter); }, {"30", "expected 40"}));
  auto const scatter_plan = make_spmv_plan(Space(), A, scatter);
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { spmv(Space(), scatter_plan, 1, x, 0, y); }, {"30", "expected 40"}));
}

TEST_F(CsrSpmvErrors, MultivectorsOfDifferentWidths) {
  Kokkos::View<double**, Device> const X("X", 30, 3), Y("Y", 40, 2);
  Kokkos::deep_copy(Y, 5.0);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, A, X, 0, Y); },
                                        {"x has extent(1) = 3", "expected 2", "as many vectors as y"}));
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), plan, 1, X, 0, Y); }, {"expected 2"}));
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y)(39, 1), 5.0);
}

TEST_F(CsrSpmvErrors, UnallocatedViews) {
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, Unmanaged(nullptr, 30), 0, y); },
                                      {"x is not allocated"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, Unmanaged(nullptr, 40)); },
                                      {"y is not allocated"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), plan, 1, x, 0, Unmanaged(nullptr, 40)); },
                                      {"y is not allocated"}));
}

TEST_F(CsrSpmvErrors, YWithStrideZero) {
  Kokkos::View<double*, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged> const broadcast(
      y.data(), Kokkos::LayoutStride(40, 0));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, broadcast); },
                                      {"y has stride 0 between its entries"}));
  Kokkos::View<double**, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged> const columns(
      y.data(), Kokkos::LayoutStride(40, 1, 2, 0));
  Kokkos::View<double**, Device> const X("X", 30, 2);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, X, 0, columns); },
                                      {"y has stride 0 between its columns"}));
}

TEST_F(CsrSpmvErrors, Overlap) {
  auto const all = to_device(numbers<double>(Numbers::integers, 69, 2));
  auto const want = to_host(all);
  auto const part_x = Kokkos::subview(all, std::pair(0, 30)), part_y = Kokkos::subview(all, std::pair(29, 69));
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, part_x, 0, part_y); }, {"x and y overlap"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), plan, 1, part_x, 0, part_y); }, {"x and y overlap"}));
  EXPECT_EQ(to_host(all), want);

  auto const entries = to_host(A.values);
  auto const over_values = Kokkos::subview(A.values, std::pair(7, 47));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, over_values); }, {"y overlaps the values"}));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spmv(Space(), plan, 1, x, 0, over_values); }, {"y overlaps the values"}));
  EXPECT_EQ(to_host(A.values), entries);
}

TEST_F(CsrSpmvErrors, InvalidLanes) {
  for (int const lanes : {3, 48, 128, -2}) {
    SpmvOptions const options{.algorithm = SpmvAlgorithm::row_team, .lanes = lanes};
    auto const said = "lanes is " + std::to_string(lanes);
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, y, options); }, {said, "power of two"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { make_spmv_plan(Space(), A, options); }, {said, "power of two"}));
  }
}

TEST_F(CsrSpmvErrors, OptionsThatNeedAPlan) {
  Vector const long_y("y", 30), long_x("x", 40);
  for (auto const op : {Op::transpose, Op::conjugate_transpose})
    EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, long_x, 0, long_y, {.op = op}); },
                                        {"transpose needs a plan", "make_spmv_plan", "atomic_scatter"}));
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] { spmv(Space(), 1, A, x, 0, y, {.algorithm = SpmvAlgorithm::segmented_sum}); },
      {"segmented_sum needs a plan"}));
  SpmvOptions const scatter{.algorithm = SpmvAlgorithm::atomic_scatter};
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, y, scatter); }, {"for a transpose only"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { make_spmv_plan(Space(), A, scatter); }, {"for a transpose only"}));
}

TEST(CsrSpmvNan, OfXReachesOnlyTheRowsThatUseIt) {
  auto const host = with_numbers<double>(random_pattern(200, 100, 4), Numbers::reals);
  auto const A = host.on_device();
  auto x = numbers<double>(Numbers::integers, host.cols(), 2);
  x[50] = not_a_number<double>();
  auto const device_x = to_device(x);
  for (auto const& approach : all_approaches()) {
    auto const y = to_device(std::vector<double>(host.rows(), 1.0));

    Multiply<decltype(A), double>(A, approach)(1.0, device_x, 0.5, y);

    auto const got = to_host(y);
    for (std::size_t i = 0; i < host.rows(); ++i) {
      bool uses = false;
      for (auto k = host.begin(i); k < host.end(i); ++k) uses = uses || host.columns[k] == 50;
      EXPECT_EQ(is_nan(got[i]), uses) << approach.name << ", row " << i;
    }
  }
}

TEST(CsrSpmvNan, OfAOrXIsIgnoredIfAlphaIsZero) {
  auto host = with_numbers<double>(random_pattern(90, 90, 5), Numbers::integers);
  host.values.assign(host.values.size(), not_a_number<double>());
  auto const A = host.on_device();
  auto const x = to_device(std::vector<double>(host.cols(), not_a_number<double>()));
  auto const before = numbers<double>(Numbers::integers, host.rows(), 3);
  for (auto const op : {Op::none, Op::transpose})
    for (auto const& approach : op == Op::none ? all_approaches() : approaches_to(op)) {
      Multiply<decltype(A), double> const multiply(A, approach);
      auto const y = to_device(before),
                 fresh = to_device(std::vector<double>(host.rows(), not_a_number<double>()));

      multiply(0.0, x, 2.0, y);
      multiply(0.0, x, 0.0, fresh);

      auto const got = to_host(y);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 2 * before[i]) << approach.name;
      EXPECT_EQ(to_host(fresh), std::vector<double>(host.rows(), 0.0)) << approach.name;
    }
}

template <class Plan>
std::vector<double> product(Plan const& plan, Vector const& x, std::size_t rows) {
  auto const y = to_device(std::vector<double>(rows, not_a_number<double>()));
  spmv(Space(), plan, 1.0, x, 0.0, y);
  return to_host(y);
}

TEST(CsrSpmvPlan, ReportsItsAlgorithm) {
  auto const A = with_numbers<double>(random_pattern(90, 90, 5), Numbers::integers).on_device();
  EXPECT_NE(make_spmv_plan(Space(), A).algorithm(), SpmvAlgorithm::automatic);
  auto const plan =
      make_spmv_plan(Space(), A, {.op = Op::transpose, .algorithm = SpmvAlgorithm::segmented_sum});
  EXPECT_EQ(plan.algorithm(), SpmvAlgorithm::segmented_sum);
  EXPECT_EQ(plan.op(), Op::transpose);
  EXPECT_EQ(plan.matrix().num_rows, A.num_cols);
  EXPECT_GT(plan.bytes(), 0u);
}

TEST(CsrSpmvPlan, UpdatesValues) {
  auto host = with_numbers<double>(random_pattern(90, 80, 6), Numbers::integers, 1);
  auto const A = host.on_device();
  auto const new_host = with_numbers<double>(random_pattern(90, 80, 6), Numbers::integers, 99);
  auto const new_A = new_host.on_device();  // other memory, same structure
  for (auto const op : {Op::none, Op::transpose})
    for (auto const& approach : op == Op::none ? all_approaches() : approaches_to(op)) {
      auto options = approach.options;
      if (!approach.planned) continue;
      SCOPED_TRACE(approach.name);
      auto plan = make_spmv_plan(Space(), A, options);
      auto const reference = op == Op::none ? new_host : transposed(new_host);
      auto const x = numbers<double>(Numbers::integers, reference.cols(), 2);

      update_values(Space(), plan, new_A);

      EXPECT_TRUE(agrees(product(plan, to_device(x), reference.rows()),
                         expected<double>(reference, x, 1.0, 0.0), std::vector<double>(reference.rows()),
                         true));
    }
}

TEST(CsrSpmvPlan, AnotherStructureThrowsAndChangesNothing) {
  auto const host = with_numbers<double>(random_pattern(90, 80, 6), Numbers::integers);
  auto elsewhere = host, wider = host, fewer = host, rows_differ = host;
  elsewhere.columns[17] = (elsewhere.columns[17] + 1) % 80;
  wider.num_cols = 81;
  fewer.values.pop_back();
  fewer.columns.pop_back();
  for (std::size_t i = fewer.rows(); i > 0 && fewer.offsets[i] == host.offsets.back(); --i) --fewer.offsets[i];
  for (std::size_t i = 1; i < 90; ++i)
    if (host.end(i) > host.begin(i)) {
      ++rows_differ.offsets[i];  // the first entry of row i belongs to the row before
      break;
    }
  auto const x = numbers<double>(Numbers::integers, 80, 2);
  for (auto const algorithm : {SpmvAlgorithm::row_team, SpmvAlgorithm::segmented_sum}) {
    auto plan = make_spmv_plan(Space(), host.on_device(), {.algorithm = algorithm});
    EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), plan, elsewhere.on_device()); }, {"elsewhere"}));
    EXPECT_TRUE(
        throws<StalePlan>([&] { update_values(Space(), plan, rows_differ.on_device()); }, {"elsewhere"}));
    EXPECT_TRUE(
        throws<StalePlan>([&] { update_values(Space(), plan, wider.on_device()); }, {"90 x 80", "90 x 81"}));
    EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), plan, fewer.on_device()); },
                                  {std::to_string(host.values.size()), std::to_string(fewer.values.size())}));
    EXPECT_TRUE(agrees(product(plan, to_device(x), 90), expected<double>(host, x, 1.0, 0.0),
                       std::vector<double>(90), true));
  }
}

TEST(CsrSpmvPlan, SharesTheMemoryOfItsMatrix) {
  auto const host = with_numbers<double>(random_pattern(90, 80, 6), Numbers::integers);
  auto const A = host.on_device();
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_EQ(plan.matrix().values.data(), A.values.data());
  Kokkos::deep_copy(A.values, 2.0);
  auto doubled = host;
  doubled.values.assign(host.values.size(), 2.0);
  auto const x = numbers<double>(Numbers::integers, 80, 2);
  EXPECT_TRUE(agrees(product(plan, to_device(x), 90), expected<double>(doubled, x, 1.0, 0.0),
                     std::vector<double>(90), true));
}

TEST(CsrSpmvPlan, MatrixWithoutRowsAndOffsets) {
  Csr<double, int, int, Device> const A{0, 7, {}, {}, {}};
  Vector const x("x", 7), y("y", 0), long_y("y", 7);
  spmv(Space(), 1.0, A, x, 0.0, y);
  for (auto const& approach : all_approaches()) Multiply<decltype(A), double>(A, approach)(1.0, x, 0.0, y);
  Kokkos::deep_copy(long_y, 3.0);
  spmv(Space(), make_spmv_plan(Space(), A, {.op = Op::transpose}), 1.0, y, 0.0, long_y);
  EXPECT_EQ(to_host(long_y), std::vector<double>(7, 0.0));
}

}  // namespace
}  // namespace einkorn::test
