// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>

namespace einkorn::perf {

/// Formats as printf does; the result has at most 511 characters.
[[gnu::format(printf, 1, 2)]] std::string text(char const* format, ...);

/// A time in us, ms or s.
std::string time_text(double seconds);

}  // namespace einkorn::perf
