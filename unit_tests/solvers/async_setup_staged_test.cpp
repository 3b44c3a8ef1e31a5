// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The threads and chunks of a GPU, on a host space too.
#include <einkorn/core/staged_copy.hpp>

template <>
inline constexpr bool einkorn::detail::stages_copies<EINKORN_TEST_SPACE> = true;

#include "async_setup_tests.hpp"

namespace einkorn::test {
namespace {

using Formats = TestTypes<Of<Csr5>, Of<Dia>, Of<Sell>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Some, AsyncSetupFormats, Formats);

}  // namespace
}  // namespace einkorn::test
