// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// validate(), and that plans and conversions call it.

#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class CsrValidate : public testing::Test {
 protected:
  using Host = HostMatrixOf<C>;
  Host good = with_numbers_of<C>(random_pattern(40, 30, 1), Numbers::integers);

  /// validate() and make_spmv_plan() say so; without checks the plan's constructor is not reached here.
  static void expect_refused(Csr<double, typename C::Ordinal, typename C::Offset, Device> const& A,
                             std::vector<std::string> const& parts) {
    EXPECT_TRUE(throws<InvalidStructure>([&] { validate(Space(), A); }, parts));
    EXPECT_TRUE(throws<InvalidStructure>([&] { make_spmv_plan(Space(), A); }, parts));
  }
};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(CsrValidate, IndexPairs);

TYPED_TEST(CsrValidate, AcceptsTheBattery) {
  for (auto const& pattern : battery()) {
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::integers);
    EXPECT_NO_THROW(validate(Space(), host.on_device())) << pattern.name;
  }
  EXPECT_NO_THROW(
      validate(Space(), Csr<double, typename TypeParam::Ordinal, typename TypeParam::Offset, Device>{}));
}

TYPED_TEST(CsrValidate, ComputesTheFingerprint) {
  for (auto const& pattern : battery()) {
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::integers).on_device();
    for (auto const checks : {Checks::on, Checks::off})
      EXPECT_EQ(detail::checked_fingerprint(Space(), A, checks), fingerprint(Space(), A)) << pattern.name;
  }
}

TYPED_TEST(CsrValidate, OffsetsThatDecreaseAfterAnyRow) {
  auto bad = this->good;
  std::size_t const rows = bad.rows();
  for (std::size_t i = 0; i <= rows; ++i) bad.offsets[i] = static_cast<typename TypeParam::Offset>(i);
  bad.columns.assign(rows, 0);
  bad.values.assign(rows, 1.0);
  for (std::size_t row = 1; row < rows; ++row) {
    auto one = bad;
    one.offsets[row] = static_cast<typename TypeParam::Offset>(row + 2);
    auto const after = row + 1 < rows ? row : rows - 1;
    this->expect_refused(one.on_device(), {"decreases after row " + std::to_string(after),
                                           std::to_string(row + 2) + " to " + std::to_string(row + 1)});
  }
}

TYPED_TEST(CsrValidate, OffsetsThatDoNotBeginAtZero) {
  auto bad = this->good;
  bad.offsets[0] = 1;
  this->expect_refused(bad.on_device(), {"row_offsets(0) is 1", "expected 0"});
}

TYPED_TEST(CsrValidate, OffsetsThatDoNotEndAtNnz) {
  auto bad = this->good;
  ++bad.offsets[40];
  this->expect_refused(bad.on_device(), {"row_offsets(40) is " + std::to_string(bad.values.size() + 1),
                                         "expected nnz = " + std::to_string(bad.values.size())});
}

TYPED_TEST(CsrValidate, OffsetsThatDecreaseNamesTheFirst) {
  auto bad = this->good;
  auto const nnz = bad.values.size();
  for (std::size_t const row : {17u, 25u}) bad.offsets[row] = static_cast<typename TypeParam::Offset>(nnz);
  this->expect_refused(bad.on_device(), {"decreases after row 17", std::to_string(nnz) + " to "});
}

TYPED_TEST(CsrValidate, ColumnsOutOfRangeNamesTheFirst) {
  for (int const column : {30, -1, 1000}) {
    auto bad = this->good;
    for (std::size_t const k : {11u, 100u, 12u})
      bad.columns[k] = static_cast<typename TypeParam::Ordinal>(column);
    this->expect_refused(bad.on_device(), {"entry 11 has column " + std::to_string(column), "0 .. 30"});
  }
}

TYPED_TEST(CsrValidate, WrongExtents) {
  auto bad = this->good;
  bad.columns.pop_back();
  this->expect_refused(bad.on_device(), {"columns has " + std::to_string(bad.columns.size()),
                                         "values " + std::to_string(bad.values.size())});
  bad = this->good;
  bad.num_rows = 41;
  this->expect_refused(bad.on_device(), {"row_offsets has extent 41", "num_rows + 1 = 42"});
  bad = this->good;
  bad.offsets.clear();
  this->expect_refused(bad.on_device(), {"row_offsets has extent 0", "41"});
  bad = this->good;
  bad.offsets.clear();
  bad.num_rows = 0;
  this->expect_refused(bad.on_device(), {"entries, but no rows"});
  bad = this->good;
  bad.num_cols = -1;
  this->expect_refused(bad.on_device(), {"negative size 40 x -1"});
}

}  // namespace
}  // namespace einkorn::test
