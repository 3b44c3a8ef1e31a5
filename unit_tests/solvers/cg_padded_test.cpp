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

/// can_persist_on_gpu: the format gives access to its rows, for solves on the chip.
template <template <class, class, class, class> class Format>
void expect_cg_over(bool can_persist_on_gpu) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Format>(Space(), system.A.on_device()), !is_gpu<Space> || can_persist_on_gpu,
              true);
}

TEST(CgPaddedFormats, Ell) {
  expect_cg_over<Ell>(false);
}
TEST(CgPaddedFormats, Sell) {
  expect_cg_over<Sell>(false);  // its rows are sorted
}
TEST(CgPaddedFormats, Dia) {
  expect_cg_over<Dia>(true);
}
TEST(CgPaddedFormats, Bdia) {
  expect_cg_over<Bdia>(true);
}

}  // namespace
}  // namespace einkorn::test
