// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/advice.hpp"

#include <utility>

namespace einkorn::perf {

std::string with_program_options(std::string message) {
  std::pair<char const*, char const*> const replacements[] = {
      {"read it as std::complex<double>", "read it with --scalar complex"},
      {"int64_t or size_t would do", "--ordinal int64 would do"},
      {"std::int64_t would do", "--ordinal int64 would do"},
      {"std::size_t would do", "--ordinal int64 would do"},
      {"int64_t would do", "--ordinal int64 would do"},
  };
  for (auto const& [type, option] : replacements) {
    auto const begin = message.find(type);
    if (begin == std::string::npos) continue;
    message.replace(begin, std::string(type).size(), option);
    break;
  }
  return message;
}

}  // namespace einkorn::perf
