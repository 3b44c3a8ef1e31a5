// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string_view>

/// major * 10000 + minor * 100 + patch, for code that supports several versions. CMakeLists.txt reads it.
#define EINKORN_VERSION 200

namespace einkorn {

/// The version of the headers that the caller was compiled with.
[[nodiscard]] constexpr std::string_view version() noexcept {
  return "0.2.0";
}

}  // namespace einkorn
