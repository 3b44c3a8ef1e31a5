// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>

namespace einkorn::perf {

/// Replaces C++ types in the advice of a library message by options of the program: --scalar complex,
/// --ordinal int64.
std::string with_program_options(std::string message);

}  // namespace einkorn::perf
