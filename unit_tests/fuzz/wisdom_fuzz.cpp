// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// libFuzzer target for files of wisdom: for any text, the reader returns wisdom that is written and read back as the
// same text, or an einkorn::ParseError is thrown. Compiled against stand_in/Kokkos_Core.hpp.

#include "fuzz.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/wisdom_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

einkorn::Wisdom parse(std::string_view text) {
  einkorn::detail::WisdomParser parser("input");
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    auto const end = std::min(text.find('\n', begin), text.size());
    parser.parse_line(line, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parser.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string text;
  try {
    text = einkorn::detail::wisdom_text(parse({reinterpret_cast<char const*>(data), size}));
  } catch (einkorn::ParseError const&) {
    return 0;
  }
  einkorn::fuzz::check(einkorn::detail::wisdom_text(parse(text)) == text, "read back as written");
  return 0;
}
