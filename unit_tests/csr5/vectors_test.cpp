// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Multivectors, strides, offsets.

#include "vectors.hpp"

namespace einkorn::test {
namespace {

TEST(Csr5SpmvVectors, Float) {
  expect_csr5_products_of_every_form<float, float>();
}
TEST(Csr5SpmvVectors, Double) {
  expect_csr5_products_of_every_form<double, double>();
}
TEST(Csr5SpmvVectors, Complex) {
  expect_csr5_products_of_every_form<Complex, Complex>();
}

}  // namespace
}  // namespace einkorn::test
