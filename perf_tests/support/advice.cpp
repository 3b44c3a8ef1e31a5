// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/advice.hpp"

#include <utility>

namespace einkorn::perf {

std::string in_terms_of_the_program(std::string message) {
  std::pair<char const*, char const*> const words[] = {
      {"read it as std::complex<double>", "read it with --scalar complex"},
      {"int64_t or size_t would do", "--ordinal int64 would do"},
      {"std::int64_t would do", "--ordinal int64 would do"},
      {"std::size_t would do", "--ordinal int64 would do"},
      {"int64_t would do", "--ordinal int64 would do"},
  };
  for (auto const& [of_cpp, of_program] : words) {
    auto const place = message.find(of_cpp);
    if (place == std::string::npos) continue;
    message.replace(place, std::string(of_cpp).size(), of_program);
    break;
  }
  return message;
}

}  // namespace einkorn::perf
