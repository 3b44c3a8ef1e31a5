// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// validate(), and that plans and conversions call it.

#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
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

/// The hash of an array as the documentation of StructureHash defines it.
template <class Integers>
std::uint64_t hash_by_definition(Integers const& integers) {
  std::uint64_t const factors[] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                                   0x6a09e667f3bcc90fu};
  std::uint64_t sum = 0;
  for (std::size_t g = 0; 4 * g < integers.size(); ++g) {
    std::uint64_t combined = 0xd1342543de82ef95u * (g + 1);
    for (std::size_t i = 4 * g; i < std::min(4 * g + 4, integers.size()); ++i)
      combined += factors[i - 4 * g] * static_cast<std::uint64_t>(integers[i]);
    sum += detail::mix64(combined);
  }
  return sum;
}

TYPED_TEST(CsrValidate, FingerprintFollowsItsDefinition) {
  for (auto const& pattern : battery()) {
    if (pattern.num_rows == 0) continue;  // 0, with and without row_offsets
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::integers);
    auto const f = fingerprint(Space(), host.on_device());
    EXPECT_EQ(f.offsets, hash_by_definition(host.offsets)) << pattern.name;
    EXPECT_EQ(f.columns, hash_by_definition(host.columns)) << pattern.name;
  }
}

TYPED_TEST(CsrValidate, ArraysThatAreNotAlignedToFourEntries) {
  auto const A = this->good.on_device();
  auto const shifted = [](auto const& view) {
    using View = Kokkos::View<typename std::remove_cvref_t<decltype(view)>::non_const_value_type*, Device>;
    View const longer("longer", view.extent(0) + 1);
    View const part = Kokkos::subview(longer, std::pair<std::size_t, std::size_t>(1, longer.extent(0)));
    Kokkos::deep_copy(part, view);
    return part;
  };
  auto B = A;
  B.row_offsets = shifted(A.row_offsets);
  B.columns = shifted(A.columns);
  EXPECT_NO_THROW(validate(Space(), B));
  EXPECT_EQ(fingerprint(Space(), B), fingerprint(Space(), A));
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
