// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with formats without a fused product, COO, HYB and BSR: the dot products are a separate pass.

#include "cg_tests.hpp"

#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>
#include <einkorn/formats/hyb/from_csr.hpp>
#include <einkorn/formats/hyb/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

TEST(CgUnfusedFormats, Coo) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Coo>(Space(), system.A.on_device()), false, false);
}
TEST(CgUnfusedFormats, Hyb) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Hyb>(Space(), system.A.on_device(), {.width = 3}), false, false);
}
TEST(CgUnfusedFormats, Bsr) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Bsr>(Space(), system.A.on_device(), {.block_size = 2, .fill_limit = 4}), false,
              false);
}

}  // namespace
}  // namespace einkorn::test
