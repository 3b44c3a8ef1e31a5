// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/text.hpp"

#include <cstdarg>
#include <cstdio>

namespace einkorn::perf {

std::string text(char const* format, ...) {
  char line[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return text("%.1f us", 1e6 * seconds);
  return seconds < 1.0 ? text("%.2f ms", 1e3 * seconds) : text("%.2f s", seconds);
}

}  // namespace einkorn::perf
