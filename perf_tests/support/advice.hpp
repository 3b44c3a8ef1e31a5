// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>

namespace einkorn::perf {

/// A message of the library with its advice in options of the program: types of C++ become --scalar complex and
/// --ordinal int64.
std::string in_terms_of_the_program(std::string message);

}  // namespace einkorn::perf
