// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A matrix and vectors of different scalars.

#include "vectors.hpp"

namespace einkorn::test {
namespace {

TEST(Csr5SpmvMixed, FloatMatrixWithDoubleVectors) {
  expect_csr5_products_of_every_form<float, double>();
}
TEST(Csr5SpmvMixed, RealMatrixWithComplexVectors) {
  expect_csr5_products_of_every_form<double, Complex>();
}

}  // namespace
}  // namespace einkorn::test
