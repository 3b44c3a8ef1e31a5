// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// To be included first: uploads with the threads and chunks of a GPU, on a host space too.

#include <einkorn/core/staged_copy.hpp>

#include <Kokkos_Core.hpp>

template <>
inline constexpr bool einkorn::detail::stages_copies<EINKORN_TEST_SPACE> = true;
