// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "vectors_tests.hpp"

namespace einkorn::test {

using ComplexScalars = TestTypes<Complex>;
INSTANTIATE_TYPED_TEST_SUITE_P(Complex, CsrSpmvVectors, ComplexScalars);

}  // namespace einkorn::test
