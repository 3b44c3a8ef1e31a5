// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace einkorn::detail {

/// An error at a position of the text. The public functions translate it to ParseError or, if the text is valid
/// but a type too small, to OverflowError. The line number is computed only then.
struct TextError : Error {
  TextError(char const* position, std::string const& reason, bool type_is_too_small)
      : Error(reason), at(position), overflow(type_is_too_small) {}

  char const* at;
  bool overflow;
};

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}
inline bool ends_field(char c) {
  return is_blank(c) || c == '\n' || c == '\r';
}

inline char const* skip_blanks(char const* p, char const* end) {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

/// The newline at the end of the line of p, or end.
inline char const* line_end(char const* p, char const* end) {
  if (p == end) return end;
  auto const* newline = static_cast<char const*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  return newline ? newline : end;
}

/// True at LF, CRLF and the end of the text.
inline bool at_line_end(char const* p, char const* end) {
  if (p == end || *p == '\n') return true;
  return *p == '\r' && (p + 1 == end || p[1] == '\n');
}

inline std::string_view field_at(char const* p, char const* end) {
  return {p, static_cast<std::size_t>(std::find_if(p, end, ends_field) - p)};
}

inline std::size_t line_number(std::string_view text, char const* at) {
  return 1 + static_cast<std::size_t>(std::count(text.data(), at, '\n'));
}

/// For messages: in quotes, at most 40 characters, non-printable bytes in hexadecimal.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t max_characters = 40;
  constexpr char hex[] = "0123456789abcdef";
  std::string result = "'";
  for (char const c : text.substr(0, max_characters)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      result += c;
    else
      (((result += "\\x") += hex[byte >> 4]) += hex[byte & 15]);
  }
  return result + (text.size() > max_characters ? "...'" : "'");
}

[[noreturn]] inline void fail(char const* at, std::string const& reason) {
  throw TextError(at, reason, false);
}
[[noreturn]] inline void fail_overflow(char const* at, std::string const& reason) {
  throw TextError(at, reason, true);
}

inline void reject_nul(char const* begin, char const* end) {
  if (begin == end) return;
  if (auto const* nul = std::memchr(begin, '\0', static_cast<std::size_t>(end - begin)))
    fail(static_cast<char const*>(nul), "a NUL byte; expected text (the file is binary or UTF-16)");
}

/// The first non-blank character of the first line from p on that is neither blank nor a comment, or end. Calls
/// check_comment(begin, end) for each skipped comment.
/// @pre p is the start of a line.
template <class CheckComment>
char const* next_data_line(char const* p, char const* end, CheckComment const& check_comment) {
  for (;;) {
    p = skip_blanks(p, end);
    if (p == end) return end;
    if (*p == '%') {
      char const* const stop = line_end(p, end);
      check_comment(p, stop);
      p = stop;
    } else if (!at_line_end(p, end)) {
      return p;
    } else if (*p == '\r') {
      ++p;
    }
    if (p != end) ++p;
  }
}

/// As above. Throws TextError for a NUL byte in a comment.
inline char const* next_data_line(char const* p, char const* end) {
  return next_data_line(p, end, reject_nul);
}

/// The start of data line `index`, counted from 0 from `begin` on, or end. O(text), for messages only.
inline char const* data_line(char const* begin, char const* end, std::size_t index) {
  char const* p = next_data_line(begin, end);
  for (; index > 0 && p != end; --index) {
    p = line_end(p, end);
    p = next_data_line(p == end ? p : p + 1, end);
  }
  return p;
}

}  // namespace einkorn::detail
