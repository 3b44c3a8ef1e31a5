// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "spmv_tests.hpp"

namespace einkorn::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Complex, Csr5Spmv, ConfigsOfComplex);

}  // namespace einkorn::test
