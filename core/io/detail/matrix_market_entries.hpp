// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/io/detail/matrix_market_lines.hpp>
#include <einkorn/core/io/detail/matrix_market_number.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace einkorn::detail {

/// The entries of a range of lines, parsed by one thread. Entries of an array have values only.
template <class Scalar, class Ordinal>
struct EntryPart {
  std::string_view text;
  std::vector<Ordinal> rows, columns;
  std::vector<Scalar> values;
  ValueRules rules;
  std::optional<TextError> error;  // after the entries above
  std::exception_ptr failure;      // any other exception
};

/// The minimal number of bytes of a line with one entry, including its newline. Bounds allocations, because the
/// size line may be wrong.
constexpr std::size_t min_entry_bytes(MatrixMarketFormat format, MatrixMarketField field) {
  std::size_t const numbers = field == MatrixMarketField::complex   ? 2
                              : field == MatrixMarketField::pattern ? 0
                                                                    : 1;
  return 2 * (numbers + (format == MatrixMarketFormat::coordinate ? 2 : 0));
}

inline void finish_line(char const*& p, char const* end, bool ignore_trailing_text) {
  if (p == end) return;
  if (*p != '\n') [[unlikely]] {
    p = skip_blanks(p, end);
    if (!at_line_end(p, end) && !ignore_trailing_text)
      fail(p, "text after the last field: " + quoted(field_at(p, end)) + "; ignore_trailing_text accepts it");
    p = line_end(p, end);
    if (p == end) return;
  }
  ++p;
}

template <MatrixMarketField field, class Scalar, class Ordinal>
void read_lines(EntryPart<Scalar, Ordinal>& part, MatrixMarketHeader const& header, bool ignore_trailing_text) {
  char const* const end = part.text.data() + part.text.size();
  auto const num_rows = static_cast<std::uint64_t>(header.num_rows);
  auto const num_cols = static_cast<std::uint64_t>(header.num_cols);
  bool const coordinate = header.format == MatrixMarketFormat::coordinate;
  char const* p = next_data_line(part.text.data(), end);
  while (p != end) {
    if (coordinate) {
      auto const row = read_index(p, end, num_rows, "row index");
      auto const column = read_index(p, end, num_cols, "column index");
      auto const value = read_value<field, Scalar>(p, end, part.rules);
      finish_line(p, end, ignore_trailing_text);
      part.rows.push_back(static_cast<Ordinal>(row));
      part.columns.push_back(static_cast<Ordinal>(column));
      part.values.push_back(value);
    } else {
      auto const value = read_value<field, Scalar>(p, end, part.rules);
      finish_line(p, end, ignore_trailing_text);
      part.values.push_back(value);
    }
    p = next_data_line(p, end);
  }
}

/// Parses the lines of a part.
/// @param expected an upper bound of its entries if the size line is right, for allocations
template <class Scalar, class Ordinal>
void read_part(EntryPart<Scalar, Ordinal>& part, MatrixMarketHeader const& header, std::uint64_t expected,
               bool ignore_trailing_text) {
  try {
    auto const max_entries = part.text.size() / min_entry_bytes(header.format, header.field) + 1;
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(expected, max_entries));
    part.values.reserve(count);
    if (header.format == MatrixMarketFormat::coordinate) {
      part.rows.reserve(count);
      part.columns.reserve(count);
    }
    switch (header.field) {
      case MatrixMarketField::pattern:
        read_lines<MatrixMarketField::pattern>(part, header, ignore_trailing_text);
        break;
      case MatrixMarketField::integer:
        read_lines<MatrixMarketField::integer>(part, header, ignore_trailing_text);
        break;
      case MatrixMarketField::real:
        read_lines<MatrixMarketField::real>(part, header, ignore_trailing_text);
        break;
      case MatrixMarketField::complex:
        if constexpr (ComplexScalar<Scalar>)
          read_lines<MatrixMarketField::complex>(part, header, ignore_trailing_text);
        break;
    }
  } catch (TextError const& error) {
    part.error = error;
  } catch (...) {
    part.failure = std::current_exception();
  }
}

/// Splits text into at most `count` parts of whole lines.
inline std::vector<std::string_view> split_lines(std::string_view text, std::size_t count) {
  std::vector<std::string_view> parts;
  for (std::size_t left = count; left > 0 && !text.empty(); --left) {
    char const* const end = text.data() + text.size();
    char const* cut = line_end(text.data() + text.size() / left, end);
    if (left == 1 || cut == end)
      cut = end;
    else
      ++cut;
    auto const size = static_cast<std::size_t>(cut - text.data());
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  if (parts.empty()) parts.push_back(text);
  return parts;
}

/// Parses the body in parts, one thread per part. The calling thread parses the first part, and those for which
/// no thread can be started.
template <class Scalar, class Ordinal>
std::vector<EntryPart<Scalar, Ordinal>> read_parts(std::string_view body, MatrixMarketHeader const& header,
                                                   MatrixMarketOptions const& options) {
  constexpr std::size_t min_bytes_per_thread = std::size_t{1} << 20;
  std::size_t const threads =
      options.max_threads ? options.max_threads : std::max(1u, std::thread::hardware_concurrency());
  auto const texts = split_lines(body, std::clamp<std::size_t>(body.size() / min_bytes_per_thread, 1, threads));
  std::vector<EntryPart<Scalar, Ordinal>> parts(texts.size());
  auto const read = [&](std::size_t i) {
    double const share =
        static_cast<double>(texts[i].size()) / static_cast<double>(std::max<std::size_t>(body.size(), 1));
    auto const declared = static_cast<std::uint64_t>(header.num_entries);
    auto const expected = texts.size() == 1
                              ? declared
                              : static_cast<std::uint64_t>(1.02 * share * static_cast<double>(declared)) + 16;
    read_part(parts[i], header, expected, options.ignore_trailing_text);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].text = texts[i];
    parts[i].rules = {options.allow_nonfinite, options.allow_overflow};
  }
  std::vector<std::jthread> workers;
  workers.reserve(parts.size() - 1);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    try {
      workers.emplace_back(read, i);
    } catch (std::system_error const&) {
      read(i);
    }
  }
  read(0);
  workers.clear();
  for (auto const& part : parts)
    if (part.failure) std::rethrow_exception(part.failure);
  return parts;
}

/// Checks the parts against the size line and reports the first error in file order, as one thread would. With
/// ignore_extra_entries it parses the part with the last declared entry again up to that entry, so that text
/// behind it has no effect for any division into parts.
template <class Scalar, class Ordinal>
void check_count(std::vector<EntryPart<Scalar, Ordinal>>& parts, MatrixMarketHeader const& header,
                 std::string_view body, MatrixMarketOptions const& options) {
  auto const declared = static_cast<std::uint64_t>(header.num_entries);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    auto const count = part.values.size();
    bool const complete = before + count >= declared;
    if (before + count > declared || (complete && part.error)) {
      auto const keep = static_cast<std::size_t>(declared - before);
      char const* const begin = part.text.data();
      char const* const extra = data_line(begin, begin + part.text.size(), keep);
      if (!options.ignore_extra_entries)
        fail(extra, "more entries than the " + std::to_string(declared) + " that line " +
                        std::to_string(header.size_line) + " declares; ignore_extra_entries drops them");
      auto const text = part.text.substr(0, static_cast<std::size_t>(extra - begin));
      part = {};
      part.text = text;
      part.rules = {options.allow_nonfinite, options.allow_overflow};
      read_part(part, header, keep, options.ignore_trailing_text);
      parts.resize(i + 1);
      return;
    }
    if (part.error) throw *part.error;
    before += count;
  }
  if (before == declared) return;
  auto const last = body.find_last_not_of(" \t\r\n");
  fail(last == std::string_view::npos ? body.data() : body.data() + last,
       "the file ends after " + std::to_string(before) + " entries; line " + std::to_string(header.size_line) +
           " declares " + std::to_string(declared));
}

/// Concatenates a list of all parts and frees the lists of the parts.
template <class T, class Part>
std::vector<T> join(std::vector<Part>& parts, std::vector<T> Part::* list) {
  if (parts.size() == 1) return std::move(parts[0].*list);
  std::size_t total = 0;
  for (auto const& part : parts) total += (part.*list).size();
  std::vector<T> result;
  result.reserve(total);
  for (auto& part : parts) {
    result.insert(result.end(), (part.*list).begin(), (part.*list).end());
    std::vector<T>().swap(part.*list);
  }
  return result;
}

}  // namespace einkorn::detail
