// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with the formats whose product is one launch: ELL, SELL, DIA, bDIA.

#include "cg_tests.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <template <class, class, class, class> class Format>
void expect_cg_over() {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Format>(Space(), system.A.on_device()), true, true);
}

TEST(CgPaddedFormats, Ell) {
  expect_cg_over<Ell>();
}
TEST(CgPaddedFormats, Sell) {
  expect_cg_over<Sell>();
}
TEST(CgPaddedFormats, Dia) {
  expect_cg_over<Dia>();
}
TEST(CgPaddedFormats, Bdia) {
  expect_cg_over<Bdia>();
}

}  // namespace
}  // namespace einkorn::test
