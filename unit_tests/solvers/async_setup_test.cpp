// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "async_setup_tests.hpp"

#include <einkorn/formats/all_formats.hpp>

namespace einkorn::test {
namespace {

using Formats = TestTypes<Of<Bdia>, Of<Brcv>, Of<Bsr>, Of<Coo>, Of<Csr5>, Of<Dia>, Of<Ell>, Of<Hyb>, Of<Sell>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Every, AsyncSetupFormats, Formats);

}  // namespace
}  // namespace einkorn::test
