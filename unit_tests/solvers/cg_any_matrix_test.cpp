// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with a matrix whose format is chosen at run time.

#include "cg_tests.hpp"

#include <einkorn/formats/any_matrix.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

TEST(CgAnyMatrix, MatchesTextbookInEveryFormat) {
  for (auto const format : all_formats) {
    SCOPED_TRACE(name_of(format));
    bool const is_padded = format == FormatName::ell || format == FormatName::sell;  // SELL with sorted rows
    bool const can_persist = format == FormatName::csr || format == FormatName::dia ||
                             format == FormatName::bdia || (is_padded && !is_gpu<Space>);
    for (auto const& system : definite_systems<double>())
      expect_cg(system, make_any_matrix(Space(), system.A.on_device(), format, {.fill_limit = 100}),
                can_persist, false);
  }
}

}  // namespace
}  // namespace einkorn::test
