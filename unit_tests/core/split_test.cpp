// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/core/balance/split.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::test {
namespace {

template <class C>
class Split : public testing::Test {};
using IndexPairs = Configs<float>;
TYPED_TEST_SUITE(Split, IndexPairs);

template <class Host>
auto offsets_of(Host const& A) {
  return Kokkos::View<typename Host::Offset const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
      A.offsets.data(), A.offsets.size());
}

TYPED_TEST(Split, RowOfEntry) {
  for (auto const& pattern : battery()) {
    if (pattern.is_large()) continue;
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::integers);
    auto const offsets = offsets_of(A);
    for (std::size_t row = 0; row < A.rows(); ++row)
      for (auto k = A.begin(row); k < A.end(row); ++k)
        ASSERT_EQ(static_cast<std::size_t>(
                      row_of_entry(offsets, A.num_rows, static_cast<typename TypeParam::Offset>(k))),
                  row)
            << pattern.name << ", entry " << k;
  }
}

TYPED_TEST(Split, RowsBeforeDiagonalMatchesSequentialWalk) {
  using Offset = typename TypeParam::Offset;
  for (auto const& pattern : battery()) {
    if (pattern.is_large()) continue;
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::integers);
    auto const offsets = offsets_of(A);
    auto const nnz = A.values.size(), steps = nnz + A.rows();
    std::size_t row = 0,
                entry = 0;  // the walk: use an entry of the row as long as there is one, else end the row
    for (std::size_t step = 0; step <= steps; ++step) {
      ASSERT_EQ(static_cast<std::size_t>(rows_before_diagonal(offsets, A.num_rows, static_cast<Offset>(nnz),
                                                              static_cast<Offset>(step))),
                row)
          << pattern.name << ", step " << step;
      if (row < A.rows() && entry == A.end(row))
        ++row;
      else
        ++entry;
    }
  }
}

}  // namespace
}  // namespace einkorn::test
