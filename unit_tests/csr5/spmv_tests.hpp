// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// SpMV in CSR5, one family of types per .cpp: the battery in every shape that the space supports.

#include "../support/battery.hpp"
#include "../support/format_contract_checks.hpp"
#include "../support/near.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

template <class Format, class Host>
void expect_csr5_products(Format const& F, Host const& host, Numbers kind) {
  using S = typename Host::Scalar;
  contract::expect_products(F, host, kind, {{S(1), S(0)}, {S(-2.5), S(0.5)}, {S(1), S(1)}});
}

template <class C>
class Csr5Spmv : public testing::Test {};
TYPED_TEST_SUITE_P(Csr5Spmv);

TYPED_TEST_P(Csr5Spmv, AgreesWithTheReferenceOnTheBattery) {
  for (auto const& pattern : battery())
    for (auto const kind : {Numbers::integers, Numbers::reals}) {
      auto const host = with_numbers_of<TypeParam>(pattern, kind);
      auto const A = host.on_device();
      for (auto const& shape : pattern.is_large() ? few_shapes() : runnable_shapes()) {
        SCOPED_TRACE(pattern.name + (kind == Numbers::integers ? ", integers, " : ", reals, ") +
                     to_string(shape));
        expect_csr5_products(from_csr<Csr5>(Space(), A, options_of(shape)), host, kind);
      }
    }
}

TYPED_TEST_P(Csr5Spmv, NumbersOfEntriesAroundWholeTiles) {
  for (auto const& shape : runnable_shapes()) {
    if (shape.lanes == 0) continue;
    int const size = shape.lanes * shape.sigma;
    for (int const tiles : {0, 1, 2, 5})
      for (int const more : {-1, 0, 1}) {
        if (tiles * size + more < 1) continue;
        SCOPED_TRACE(to_string(shape) + ", tiles " + std::to_string(tiles) + ", entries more " +
                     std::to_string(more));
        std::vector<std::int64_t> lengths;
        for (std::int64_t left = tiles * size + more, i = 0; left > 0; ++i) {
          lengths.push_back(
              std::min<std::int64_t>(left, static_cast<std::int64_t>(noise(std::uint64_t(i), 5) % 19)));
          left -= lengths.back();
        }
        lengths.insert(lengths.end(), 3, 0);
        auto const host = with_numbers_of<TypeParam>(from_lengths("", lengths, 23), Numbers::integers);
        auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
        ASSERT_EQ(static_cast<int>(F.num_tiles), (tiles * size + more) / size);
        expect_csr5_products(F, host, Numbers::integers);
      }
  }
}

TYPED_TEST_P(Csr5Spmv, ToCsrRestoresTheCsrBitForBit) {
  for (auto const& pattern : battery())
    for (auto const& shape : runnable_shapes()) {
      SCOPED_TRACE(pattern.name + ", " + to_string(shape));
      auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);

      auto const back = to_host(to_csr(Space(), from_csr<Csr5>(Space(), host.on_device(), options_of(shape))));

      EXPECT_EQ(back.num_rows, host.num_rows);
      EXPECT_EQ(back.num_cols, host.num_cols);
      EXPECT_TRUE(back.offsets == host.offsets);
      EXPECT_TRUE(back.columns == host.columns);
      EXPECT_TRUE(back.values == host.values);
    }
}

TYPED_TEST_P(Csr5Spmv, IsDeterministic) {
  using S = typename TypeParam::Scalar;
  for (auto const& pattern : battery()) {
    if (pattern.is_large() && pattern.nnz() < 1000) continue;
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::reals).on_device();
    auto const x = to_device(numbers<S>(Numbers::reals, static_cast<std::size_t>(A.num_cols), 2));
    auto const before = numbers<S>(Numbers::reals, static_cast<std::size_t>(A.num_rows), 3);
    for (auto const& shape : few_shapes())
      for (bool const planned : {false, true}) {
        SCOPED_TRACE(pattern.name + ", " + to_string(shape) + (planned ? ", plan" : ""));
        std::vector<S> first;
        for (int run = 0; run < 10; ++run) {
          auto const F = from_csr<Csr5>(Space(), A, options_of(shape));
          auto const y = to_device(before);

          if (planned)
            spmv(Space(), make_spmv_plan(Space(), F), S(0.75), x, S(0.5), y);
          else
            spmv(Space(), S(0.75), F, x, S(0.5), y);

          if (run == 0) first = to_host(y);
          ASSERT_EQ(to_host(y), first) << "run " << run;
        }
      }
  }
}

REGISTER_TYPED_TEST_SUITE_P(Csr5Spmv, AgreesWithTheReferenceOnTheBattery, NumbersOfEntriesAroundWholeTiles,
                            ToCsrRestoresTheCsrBitForBit, IsDeterministic);

}  // namespace einkorn::test
