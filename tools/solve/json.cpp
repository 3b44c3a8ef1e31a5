// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <limits>
#include <sstream>

namespace einkorn::tools {

namespace {

/// The bytes of the UTF-8 character at the beginning; 0 if there is none (RFC 3629).
std::size_t length_of_character(std::string_view bytes) {
  auto const at = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  unsigned const first = at(0);
  if (first < 0x80) return 1;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  unsigned const second = at(1);
  bool const is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool const is_surrogate = first == 0xed && second > 0x9f;
  bool const is_too_large = first == 0xf4 && second > 0x8f;
  return is_overlong || is_surrogate || is_too_large ? 0 : length;
}

}  // namespace

std::string json_text(std::string_view bytes) {
  std::ostringstream text;
  text << '"';
  while (!bytes.empty()) {
    auto const length = length_of_character(bytes);
    unsigned const first = static_cast<unsigned char>(bytes[0]);
    if (length == 0)
      text << "\\ufffd";
    else if (first == '"' || first == '\\')
      text << '\\' << bytes[0];
    else if (first < 0x20)
      text << "\\u" << std::hex << std::setw(4) << std::setfill('0') << first;
    else
      text << bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(1, length));
  }
  text << '"';
  return text.str();
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10) << value;
  return text.str();
}

std::string json_object(std::vector<std::pair<std::string, std::string>> const& members) {
  std::string text = "{";
  for (auto const& [name, value] : members)
    text += (text.size() == 1 ? "" : ", ") + json_text(name) + ": " + value;
  return text + "}";
}

}  // namespace einkorn::tools
