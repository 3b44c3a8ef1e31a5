// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/owners.hpp"

#include <einkorn/core/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>

namespace einkorn::tools {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view line) {
  auto const first = std::min(line.find_first_not_of(blanks), line.size());
  line.remove_prefix(first);
  return line.substr(0, line.find_last_not_of(blanks) + 1);
}

int owner_in(std::string_view line, std::string const& name, std::size_t line_number, int ranks) {
  int owner = -1;
  auto const* const last = line.data() + line.size();
  auto const [end, error] = std::from_chars(line.data(), last, owner);
  if (error != std::errc() || end != last || owner < 0 || owner >= ranks)
    throw ParseError(name, line_number,
                     "the owner is " + std::string(line.substr(0, 40)) + ", expected one integer, 0 .. " +
                         std::to_string(ranks) + " - 1 (ranks)");
  return owner;
}

/// Calls visit(line, line_number) for each line that is not blank, without blanks around it.
template <class Visit>
void for_each_line(std::string_view text, Visit const& visit) {
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) visit(line, line_number);
  }
}

/// Whether the first line is the number of rows and the second has two words.
bool is_scotch_map(std::string_view text, int num_rows) {
  std::size_t lines = 0;
  bool has_count = false, has_pair = false;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    ++lines;
    if (lines == 1) has_count = line == std::to_string(num_rows);
    if (lines == 2) has_pair = line.find_first_of(blanks) != std::string_view::npos;
  });
  return has_count && has_pair;
}

/// A line of a map: a row, counted from `base`, and its owner.
struct MappedRow {
  long long row;
  std::string_view owner;
  std::size_t line_number;
};

std::vector<int> parse_scotch_map(std::string const& name, std::string_view text, int num_rows, int ranks) {
  std::vector<MappedRow> rows;
  reserve(rows, "einkorn-solve: owners", static_cast<std::size_t>(num_rows));
  std::size_t count = 0;
  long long base = 1;
  for_each_line(text, [&](std::string_view line, std::size_t line_number) {
    if (count++ == 0) return;
    long long row = -1;
    auto const split = std::min(line.find_first_of(blanks), line.size());
    auto const [end, error] = std::from_chars(line.data(), line.data() + split, row);
    if (error != std::errc() || end != line.data() + split || row < 0 || row > num_rows)
      throw ParseError(name, line_number,
                       "the row is " + std::string(line.substr(0, std::min<std::size_t>(split, 40))) +
                           ", expected an integer, counted from 0 or from 1, and the owner");
    if (row == 0) base = 0;
    if (count <= static_cast<std::size_t>(num_rows) + 1)
      rows.push_back({row, trimmed(line.substr(split)), line_number});
  });
  require<DimensionMismatch>(count == static_cast<std::size_t>(num_rows) + 1, [&] {
    return name + ": " + std::to_string(count - 1) + " owners, expected " + std::to_string(num_rows) +
           ", one per row of A";
  });
  std::vector<int> owners(static_cast<std::size_t>(num_rows), -1);
  for (auto const& [row, owner, line_number] : rows) {
    bool const is_row = row - base < num_rows;
    if (!is_row || owners[static_cast<std::size_t>(row - base)] >= 0)
      throw ParseError(name, line_number,
                       "the row is " + std::to_string(row) +
                           (is_row ? ", which occurred before" : ", but rows are counted from 0"));
    owners[static_cast<std::size_t>(row - base)] = owner_in(owner, name, line_number, ranks);
  }
  return owners;
}

}  // namespace

std::vector<int> parse_owners(std::string const& name, std::string_view text, int num_rows, int ranks) {
  if (is_scotch_map(text, num_rows)) return parse_scotch_map(name, text, num_rows, ranks);
  std::vector<int> owners;
  reserve(owners, "einkorn-solve: owners", static_cast<std::size_t>(num_rows));
  std::size_t count = 0;
  for_each_line(text, [&](std::string_view line, std::size_t line_number) {
    auto const owner = owner_in(line, name, line_number, ranks);
    if (++count <= static_cast<std::size_t>(num_rows)) owners.push_back(owner);
  });
  require<DimensionMismatch>(count == static_cast<std::size_t>(num_rows), [&] {
    return name + ": " + std::to_string(count) + " owners, expected " + std::to_string(num_rows) +
           ", one per row of A";
  });
  return owners;
}

std::vector<int> read_owners(std::string const& path, int num_rows, int ranks) {
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  auto const fail = [&](char const* what) {
    throw IoError(path + ": " + what + ": " + std::generic_category().message(errno != 0 ? errno : EIO));
  };
  errno = 0;
  std::unique_ptr<std::FILE, Close> const file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("cannot open for reading");
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (auto const count = std::fread(piece.data(), 1, piece.size(), file.get()))
    text.append(piece.data(), count);
  if (std::ferror(file.get()) != 0) fail("cannot read");
  return parse_owners(path, text, num_rows, ranks);
}

}  // namespace einkorn::tools
