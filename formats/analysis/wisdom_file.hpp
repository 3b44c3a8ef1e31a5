// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/machine_profile.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace einkorn {

namespace detail {

/// Parses the lines of a file of wisdom (see read_wisdom()).
class WisdomParser {
 public:
  explicit WisdomParser(std::string path) : path_(std::move(path)) {}

  void parse_line(std::size_t line, std::string_view text) {
    line_ = line;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.empty() || text.front() == '#') return;
    if (text.find('\r') != text.npos) fail("expected no carriage return within a line");
    auto const [key, value] = split(text);
    if (!has_heading_)
      parse_heading(key, text);
    else if (has_end_)
      fail("expected nothing after \"end\"");
    else if (key == "machine")
      parse_machine(value);
    else if (key == "class")
      parse_class(value);
    else if (key == "time")
      parse_time(value);
    else if (key == "refused")
      parse_refused(value);
    else if (key == "end")
      parse_end(value);
    else
      fail("unknown key " + quoted(key));
  }

  Wisdom finish() {
    ++line_;
    if (!has_heading_) fail("expected \"einkorn-wisdom 1\", found an empty file");
    if (!has_end_) fail("expected \"end\": the file is truncated");
    return std::move(wisdom_);
  }

 private:
  [[noreturn]] void fail(std::string const& reason) const { throw ParseError(path_, line_, reason); }
  static std::string quoted(std::string_view text) { return '"' + std::string(text.substr(0, 40)) + '"'; }
  static std::pair<std::string_view, std::string_view> split(std::string_view text) {
    auto const space = text.find(' ');
    return {text.substr(0, space), space == text.npos ? std::string_view() : text.substr(space + 1)};
  }
  template <class Number>
  static bool parse_number(std::string_view text, Number& number) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  }

  void parse_heading(std::string_view key, std::string_view text) {
    if (key == "einkorn-wisdom" && text != "einkorn-wisdom 1")
      fail("version " + quoted(split(text).second) + " of the format, expected 1");
    if (text != "einkorn-wisdom 1") fail("expected \"einkorn-wisdom 1\", found " + quoted(text));
    has_heading_ = true;
  }
  void parse_machine(std::string_view value) {
    finish_record();
    if (value.empty()) fail("expected a name after \"machine\"");
    record_.machine = value;
  }
  void parse_class(std::string_view value) {
    finish_record();
    if (record_.machine.empty()) fail("expected \"machine\" before \"class\"");
    if (value.empty()) fail("expected a text after \"class\"");
    record_.matrix_class = value;
    if (wisdom_.find(record_.machine, record_.matrix_class)) fail("the class is listed twice");
  }
  void parse_time(std::string_view value) {
    if (record_.matrix_class.empty()) fail("expected \"class\" before \"time\"");
    auto const [name, numbers] = split(value);
    auto const [seconds, setup] = split(numbers);
    MeasuredTime time{std::string(name), 0, 0};
    if (name.empty() || !parse_number(seconds, time.seconds) || !parse_number(setup, time.setup_seconds) ||
        !std::isfinite(time.seconds) || !std::isfinite(time.setup_seconds) || time.seconds <= 0 ||
        time.setup_seconds < 0)
      fail("expected \"time\", a name, the seconds per SpMV (more than 0) and those of the setup, found " +
           quoted(value));
    check_candidate(time.name);
    record_.times.push_back(std::move(time));
  }
  void parse_refused(std::string_view value) {
    if (record_.matrix_class.empty()) fail("expected \"class\" before \"refused\"");
    if (value.empty() || value.find(' ') != value.npos)
      fail("expected a name without spaces after \"refused\", found " + quoted(value));
    check_candidate(value);
    record_.refused.emplace_back(value);
  }
  void check_candidate(std::string_view name) const {
    if (record_.knows(name)) fail(quoted(name) + " is listed twice");
  }
  void parse_end(std::string_view value) {
    finish_record();
    std::size_t count = 0;
    if (!parse_number(value, count))
      fail("expected the number of classes after \"end\", found " + quoted(value));
    if (count != wisdom_.records().size())
      fail("the file has " + std::to_string(wisdom_.records().size()) + " classes, \"end\" states " +
           std::to_string(count));
    has_end_ = true;
  }
  void finish_record() {
    if (record_.matrix_class.empty()) return;
    if (record_.times.empty()) fail("expected \"time\" after \"class\"");
    wisdom_.insert(record_);
    record_.matrix_class.clear();
    record_.times.clear();
    record_.refused.clear();
  }

  std::string path_;
  std::size_t line_ = 0;
  bool has_heading_ = false, has_end_ = false;
  WisdomRecord record_;
  Wisdom wisdom_;
};

/// The shortest text that is read back as the same number, in every locale.
inline std::string text_of(double number) {
  std::array<char, 32> text{};
  auto const result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

/// The text of a file of wisdom.
inline std::string wisdom_text(Wisdom const& wisdom) {
  std::string text = "einkorn-wisdom 1\n", machine;
  for (auto const& [key, record] : wisdom.records()) {
    if (record.machine != machine) text += "machine " + record.machine + '\n';
    machine = record.machine;
    text += "class " + record.matrix_class + '\n';
    for (auto const& time : record.times)
      text += "time " + time.name + ' ' + text_of(time.seconds) + ' ' + text_of(time.setup_seconds) + '\n';
    for (auto const& name : record.refused) text += "refused " + name + '\n';
  }
  return text + "end " + std::to_string(wisdom.records().size()) + '\n';
}

}  // namespace detail

/// Reads a file of write_wisdom().
///
/// The first line is "einkorn-wisdom 1". "machine NAME" begins a machine, "class CLASS" a class of matrices on
/// it, "time NAME SECONDS SETUP_SECONDS" is a candidate of the class that was measured, "refused NAME" one that
/// refused the matrix; the last line is "end" with the number of classes. Blank lines and lines that begin with
/// # are ignored.
///
/// @throws IoError if the file does not exist or cannot be read
/// @throws ParseError (with the line number) for another version, an invalid line, a truncated file
inline Wisdom read_wisdom(std::string const& path) {
  detail::WisdomParser parser(path);
  bool const exists = detail::for_each_line(
      path, [&](std::size_t line, std::string_view text) { parser.parse_line(line, text); });
  require<IoError>(exists, [&] { return path + ": no such file"; });
  return parser.finish();
}

/// Writes wisdom to a file, which read_wisdom() reads.
///
/// The text is written to a temporary file in the same folder, which then replaces `path`: a reader sees the
/// old file or the new one, and of several writers the last one wins. To keep the records of other writers,
/// merge() those of read_wisdom() first.
///
/// @throws IoError if the file cannot be written; `path` is then unchanged
inline void write_wisdom(std::string const& path, Wisdom const& wisdom) {
  auto const fail = [&](char const* what, int error) {
    throw IoError(path + ": " + what + ": " + std::error_code(error, std::generic_category()).message());
  };
  std::string temporary;
  std::FILE* file = nullptr;
  std::random_device random;
  for (int attempt = 0; file == nullptr && attempt < 16; ++attempt) {
    temporary = path + '.' + std::to_string(random()) + ".tmp";
    errno = 0;
    file = std::fopen(temporary.c_str(), "wx");  // fails if another writer has this file
    if (file == nullptr && errno != EEXIST) fail("cannot write", errno);
  }
  if (file == nullptr) fail("cannot create a temporary file", EEXIST);
  std::string const text = detail::wisdom_text(wisdom);
  errno = 0;
  bool const is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  bool const is_closed = std::fclose(file) == 0;
  if (is_written && !is_closed) error = errno;
  bool const is_renamed = is_written && is_closed && std::rename(temporary.c_str(), path.c_str()) == 0;
  if (is_renamed) return;
  if (is_written && is_closed) error = errno;
  std::remove(temporary.c_str());
  fail("cannot write", error);
}

}  // namespace einkorn
