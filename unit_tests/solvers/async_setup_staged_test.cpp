// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/staged_copies.hpp"
#include "async_setup_tests.hpp"

namespace einkorn::test {
namespace {

using Formats = TestTypes<Of<Csr5>, Of<Dia>, Of<Sell>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Some, AsyncSetupFormats, Formats);

}  // namespace
}  // namespace einkorn::test
