// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with CSR, by rows and by segmented sums, and with CSR5.

#include "cg_tests.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

TEST(CgCsr, EveryRowAlgorithm) {
  for (auto const algorithm : {SpmvAlgorithm::row_thread, SpmvAlgorithm::row_team, SpmvAlgorithm::row_bins,
                               SpmvAlgorithm::sorted_rows, SpmvAlgorithm::segmented_sum})
    for (auto const& system : definite_systems<double>()) {
      SCOPED_TRACE(name_of(algorithm));
      bool const by_rows = algorithm == SpmvAlgorithm::row_thread || algorithm == SpmvAlgorithm::row_team;
      expect_cg(system, SpmvOperator(make_spmv_plan(Space(), system.A.on_device(), {.algorithm = algorithm})),
                by_rows, true);
    }
}

TEST(CgCsr5, MatchesTextbook) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Csr5>(Space(), system.A.on_device()), false, true);
}

}  // namespace
}  // namespace einkorn::test
