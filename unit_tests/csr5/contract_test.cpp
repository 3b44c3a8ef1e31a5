// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Exceptions of from_csr, update_values and spmv of CSR5; cancellation; NaN; new values.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Format = Csr5<double, int, int, Device>;

std::vector<double> product(Format const& F, Vector const& x, bool planned) {
  auto const y = to_device(std::vector<double>(static_cast<std::size_t>(F.num_rows), not_a_number<double>()));
  if (planned)
    spmv(Space(), make_spmv_plan(Space(), F), 1.0, x, 0.0, y);
  else
    spmv(Space(), 1.0, F, x, 0.0, y);
  return to_host(y);
}

TEST(Csr5Contract, NoCancellationAcrossRows) {
  // Rows with the sums 1e16, 1, -1e16 in turn. 1e16 + 1 is 1e16, so that sums across rows give wrong results.
  double const sums[] = {1e16, 1, -1e16};
  for (auto const mixed_lengths : {false, true}) {
    std::vector<std::int64_t> lengths(3000);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = mixed_lengths ? static_cast<std::int64_t>(noise(i, 8) % 12 + (i % 50 == 0 ? 70 : 1)) : 1;
    auto host = with_numbers<double>(from_lengths("", lengths, 100), Numbers::integers);
    std::vector<double> want(host.rows());
    for (std::size_t i = 0; i < host.rows(); ++i) {
      want[i] = sums[i % 3];
      for (auto k = host.begin(i); k < host.end(i); ++k) host.values[k] = 0;
      host.values[host.begin(i) + noise(i, 9) % (host.end(i) - host.begin(i))] = want[i];
    }
    auto const x = to_device(std::vector<double>(100, 1.0));
    for (auto const& shape : runnable_shapes()) {
      auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
      EXPECT_TRUE(same_numbers(product(F, x, false), want)) << to_string(shape);
      EXPECT_TRUE(same_numbers(product(F, x, true), want)) << to_string(shape) << ", plan";
    }
  }
}

TEST(Csr5Contract, NaNAffectsOnlyRowsWithAnEntryThere) {
  auto const host = with_numbers<double>(random_pattern(200, 100, 4), Numbers::reals);
  auto x = numbers<double>(Numbers::integers, host.cols(), 2);
  x[50] = not_a_number<double>();
  for (auto const& shape : runnable_shapes())
    for (bool const planned : {false, true}) {
      auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
      auto const got = product(F, to_device(x), planned);
      for (std::size_t i = 0; i < host.rows(); ++i) {
        bool uses = false;
        for (auto k = host.begin(i); k < host.end(i); ++k) uses = uses || host.columns[k] == 50;
        EXPECT_EQ(is_nan(got[i]), uses) << to_string(shape) << ", row " << i;
      }
    }
}

TEST(Csr5Contract, AlphaZeroReadsNeitherANorX) {
  auto host = with_numbers<double>(random_pattern(90, 90, 5), Numbers::integers);
  host.values.assign(host.values.size(), not_a_number<double>());
  auto const F = from_csr<Csr5>(Space(), host.on_device());
  auto const x = to_device(std::vector<double>(host.cols(), not_a_number<double>()));
  auto const y = to_device(std::vector<double>(host.rows(), 3.0));
  spmv(Space(), 0.0, F, x, 2.0, y);
  EXPECT_EQ(to_host(y), std::vector<double>(host.rows(), 6.0));
  spmv(Space(), make_spmv_plan(Space(), F), 0.0, x, 0.0, y);
  EXPECT_EQ(to_host(y), std::vector<double>(host.rows(), 0.0));
}

TEST(Csr5Contract, EmptyRowsAreScaledOnce) {
  auto const host =
      with_numbers<double>(from_lengths("", {0, 0, 3, 0, 40, 0, 0, 1, 200, 0, 5, 0}, 200), Numbers::integers);
  auto const x = numbers<double>(Numbers::integers, 200, 2), before = numbers<double>(Numbers::integers, 12, 3);
  for (auto const& shape : runnable_shapes()) {
    auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
    for (double const beta : {1.0, 0.5, -3.0}) {
      auto const y = to_device(before);
      spmv(Space(), 1.0, F, to_device(x), beta, y);
      EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, beta), before, true)) << to_string(shape);
    }
  }
}

TEST(Csr5Contract, InvalidShapesAreRefused) {
  auto const A = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers).on_device();
  for (int const lanes : {3, 2, 128, -4})
    EXPECT_TRUE(throws<InvalidArgument>([&] { from_csr<Csr5>(Space(), A, {.lanes = lanes}); },
                                        {"from_csr: lanes is " + std::to_string(lanes), "expected"}));
  for (int const sigma : {33, -1, 1000})
    EXPECT_TRUE(throws<InvalidArgument>([&] { from_csr<Csr5>(Space(), A, {.sigma = sigma}); },
                                        {"from_csr: sigma is " + std::to_string(sigma), "1 .. 32"}));
}

TEST(Csr5Contract, InvalidMatricesAreRefused) {
  auto host = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers);
  host.columns[5] = 30;
  EXPECT_TRUE(
      throws<InvalidStructure>([&] { from_csr<Csr5>(Space(), host.on_device()); }, {"entry 5", "column 30"}));
}

TEST(Csr5Contract, SpmvRefusesTheSameArgumentsAsCsr) {
  auto const host = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers);
  auto const F = from_csr<Csr5>(Space(), host.on_device());
  auto const plan = make_spmv_plan(Space(), F);
  auto const before = numbers<double>(Numbers::integers, 40, 3);
  Vector const x("x", 30), long_x("x", 31), short_y("y", 39), y = to_device(before);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, F, long_x, 0, y); }, {"31", "expected 30"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), plan, 1, long_x, 0, y); }, {"31", "expected 30"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1, F, x, 0, short_y); }, {"39", "expected 40"}));
  auto const all = to_device(std::vector<double>(69, 1.0));
  auto const part_x = Kokkos::subview(all, std::pair(0, 30)), part_y = Kokkos::subview(all, std::pair(29, 69));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, F, part_x, 0, part_y); }, {"x and y overlap"}));
  auto const over_values = Kokkos::subview(F.values, std::pair(7, 47));
  auto const values = to_host(F.values);
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spmv(Space(), 1, F, x, 0, over_values); }, {"y overlaps the values"}));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spmv(Space(), plan, 1, x, 0, over_values); }, {"y overlaps the values"}));
  EXPECT_EQ(to_host(F.values), values);
  EXPECT_EQ(to_host(y), before);
}

TEST(Csr5UpdateValues, NewValuesOnTheSameStructure) {
  auto const pattern = random_pattern(200, 100, 6);
  auto const host = with_numbers<double>(pattern, Numbers::reals, 1);
  auto const new_host = with_numbers<double>(pattern, Numbers::reals, 99);
  for (auto const& shape : runnable_shapes())
    for (auto const checks : {Checks::on, Checks::off}) {
      auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
      Csr<double const, int, int, Device> const A = new_host.on_device();
      auto const plan = make_spmv_plan(Space(), F);

      update_values(Space(), F, A, checks);

      EXPECT_EQ(to_host(to_csr(Space(), F)).values, new_host.values) << to_string(shape);
      auto const x = numbers<double>(Numbers::integers, 100, 2);
      auto const y = to_device(std::vector<double>(200, 0.0));
      spmv(Space(), plan, 1.0, to_device(x), 0.0, y);
      EXPECT_TRUE(agrees(to_host(y), expected<double>(new_host, x, 1.0, 0.0), std::vector<double>(200), false))
          << "the plan sees them";
    }
}

TEST(Csr5UpdateValues, AnotherStructureThrowsAndChangesNothing) {
  auto const host = with_numbers<double>(random_pattern(200, 100, 6), Numbers::reals);
  auto elsewhere = host, wider = host, rows_differ = host;
  elsewhere.columns[170] = (elsewhere.columns[170] + 1) % 100;
  wider.num_cols = 101;
  for (std::size_t i = 1; i < 200; ++i)
    if (host.end(i) > host.begin(i)) {
      ++rows_differ.offsets[i];
      break;
    }
  auto const fewer = with_numbers<double>(random_pattern(200, 100, 7), Numbers::reals);
  auto const F = from_csr<Csr5>(Space(), host.on_device());
  EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), F, elsewhere.on_device()); }, {"elsewhere"}));
  EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), F, rows_differ.on_device()); }, {"elsewhere"}));
  EXPECT_TRUE(
      throws<StalePlan>([&] { update_values(Space(), F, wider.on_device()); }, {"200 x 100", "200 x 101"}));
  for (auto const checks : {Checks::on, Checks::off})
    EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), F, fewer.on_device(), checks); },
                                  {std::to_string(host.values.size()), std::to_string(fewer.values.size())}));
  EXPECT_EQ(to_host(to_csr(Space(), F)).values, host.values);
}

TEST(Csr5UpdateValues, NoRowsWithoutRowOffsets) {
  auto const with_offsets = with_numbers<double>(from_lengths("", {}, 7), Numbers::reals).on_device();
  Csr<double, int, int, Device> const without{0, 7, {}, {}, {}};
  for (auto const& given : {with_offsets, without})
    for (auto const& made_from : {with_offsets, without}) {
      auto const F = from_csr<Csr5>(Space(), made_from);
      update_values(Space(), F, given);
      EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
    }
}

}  // namespace
}  // namespace einkorn::test
