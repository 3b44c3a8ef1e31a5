// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// BiCGStab with formats that have a fused product (CSR, CSR5, SELL, DIA) and one without (COO).

#include "bicgstab_tests.hpp"

#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class A>
void expect_bicgstab_over(System<double> const& system, A const& a) {
  auto const solve = [&a](auto const& b, auto const& x, SolverOptions const& options) {
    return bicgstab(Space(), a, b, x, options);
  };
  expect_bicgstab(system, solve);
  expect_least_residual(system, solve);
}

TEST(BicgstabFormats, CsrSegmentedSum) {
  for (auto const& system : nonsymmetric_systems<double>())
    expect_bicgstab_over(system, SpmvOperator(make_spmv_plan(Space(), system.A.on_device(),
                                                             {.algorithm = SpmvAlgorithm::segmented_sum})));
}
TEST(BicgstabFormats, Csr5) {
  for (auto const& system : nonsymmetric_systems<double>())
    expect_bicgstab_over(system, from_csr<::einkorn::Csr5>(Space(), system.A.on_device()));
}
TEST(BicgstabFormats, Sell) {
  for (auto const& system : nonsymmetric_systems<double>())
    expect_bicgstab_over(system, from_csr<::einkorn::Sell>(Space(), system.A.on_device()));
}
TEST(BicgstabFormats, Dia) {
  for (auto const& system : {convection(25, 30, 0.3), convection(30, 25, 0.9)})
    expect_bicgstab_over(system, from_csr<::einkorn::Dia>(Space(), system.A.on_device()));
}
TEST(BicgstabFormats, Coo) {
  for (auto const& system : nonsymmetric_systems<double>())
    expect_bicgstab_over(system, from_csr<::einkorn::Coo>(Space(), system.A.on_device()));
}

}  // namespace
}  // namespace einkorn::test
