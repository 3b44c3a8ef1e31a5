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

}  // namespace

std::vector<int> parse_owners(std::string const& name, std::string_view text, int num_rows, int ranks) {
  std::vector<int> owners;
  reserve(owners, "einkorn-solve: owners", static_cast<std::size_t>(num_rows));
  std::size_t count = 0;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto const owner = owner_in(line, name, line_number, ranks);
    if (++count <= static_cast<std::size_t>(num_rows)) owners.push_back(owner);
  }
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
