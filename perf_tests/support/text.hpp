// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>

namespace einkorn::perf {

/// printf into a string of at most 511 characters.
[[gnu::format(printf, 1, 2)]] std::string text(char const* format, ...);

/// In microseconds, milliseconds or seconds.
std::string time_text(double seconds);

}  // namespace einkorn::perf
