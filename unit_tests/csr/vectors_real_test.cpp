// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "vectors_tests.hpp"

namespace einkorn::test {

using RealScalars = TestTypes<double, float>;
INSTANTIATE_TYPED_TEST_SUITE_P(Real, CsrSpmvVectors, RealScalars);

}  // namespace einkorn::test
