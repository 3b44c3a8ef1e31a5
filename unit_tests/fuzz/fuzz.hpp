// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstdio>
#include <cstdlib>

namespace einkorn::fuzz {

/// Ends the program, which libFuzzer reports with the input, unless the condition holds.
inline void check(bool condition, char const* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace einkorn::fuzz
