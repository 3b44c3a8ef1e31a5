// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "battery.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace einkorn::test {

std::uint64_t noise(std::uint64_t i, std::uint64_t seed) {
  auto word = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

Pattern from_lengths(std::string name, std::vector<std::int64_t> const& lengths, std::int64_t num_cols) {
  Pattern pattern;
  pattern.name = std::move(name);
  pattern.num_rows = static_cast<std::int64_t>(lengths.size());
  pattern.num_cols = num_cols;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    auto const length = std::min(lengths[i], num_cols);
    auto const shift =
        num_cols == 0 ? 0 : static_cast<std::int64_t>(noise(i, 77) % static_cast<std::uint64_t>(num_cols));
    for (std::int64_t j = 0; j < length; ++j) pattern.columns.push_back((j * num_cols + shift) / length);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

Pattern random_pattern(std::int64_t num_rows, std::int64_t num_cols, std::uint64_t seed) {
  Pattern pattern;
  pattern.name = "random, seed " + std::to_string(seed);
  pattern.num_rows = num_rows;
  pattern.num_cols = num_cols;
  std::uint64_t drawn = 0;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    std::set<std::int64_t> row;
    for (auto left = noise(drawn++, seed) % 25; left > 0; --left)
      row.insert(static_cast<std::int64_t>(noise(drawn++, seed) % static_cast<std::uint64_t>(num_cols)));
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

namespace {

using Lengths = std::vector<std::int64_t>;

Lengths filled(std::size_t rows, std::int64_t length) {
  return Lengths(rows, length);
}

/// The lengths f(row).
template <class F>
Lengths by_row(std::size_t rows, F const& f) {
  Lengths lengths(rows);
  for (std::size_t i = 0; i < rows; ++i) lengths[i] = static_cast<std::int64_t>(f(i));
  return lengths;
}

void add_shapes(std::vector<Pattern>& all) {
  all.push_back(from_lengths("0 x 0", {}, 0));
  all.push_back(from_lengths("0 x n", {}, 7));
  all.push_back(from_lengths("n x 0", filled(7, 0), 0));
  all.push_back(from_lengths("1 x 1", {1}, 1));
  all.push_back(from_lengths("1 x 1 without entry", {0}, 1));
  all.push_back(from_lengths("all rows empty", filled(300, 0), 40));
  all.push_back(from_lengths("1 x n", {1000}, 1000));
  all.push_back(from_lengths("n x 1", filled(1000, 1), 1));
  all.push_back(from_lengths("diagonal", filled(517, 1), 517));
  for (auto& pattern : all)
    if (pattern.name == "diagonal")
      for (std::size_t i = 0; i < pattern.columns.size(); ++i)
        pattern.columns[i] = static_cast<std::int64_t>(i);
  all.push_back(from_lengths("one row of 100000", {100000}, 100000));
  all.push_back(from_lengths("a row of 30000 before short ones",
                             by_row(300, [](auto i) { return i ? i % 4 : 30000; }), 30000));
  all.push_back(from_lengths("a row of 30000 after short ones",
                             by_row(300, [](auto i) { return i < 299 ? i % 4 : 30000; }), 30000));
}

void add_rows_around_lane_counts(std::vector<Pattern>& all) {
  for (int const length : {7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65})
    all.push_back(from_lengths("rows of " + std::to_string(length), filled(67, length), 200));
  all.push_back(from_lengths("rows of 31, 32, 33, 63, 64, 65 in turn",
                             by_row(60, [](auto i) { return Lengths{31, 32, 33, 63, 64, 65}[i % 6]; }), 100));
  all.push_back(from_lengths("one dense row among short ones",
                             by_row(500, [](auto i) { return i == 250 ? 2000 : i % 4; }), 2000));
  all.push_back(from_lengths("three dense rows side by side",
                             by_row(500, [](auto i) { return i >= 250 && i < 253 ? 2000 : i % 3; }), 2000));
}

void add_empty_rows(std::vector<Pattern>& all) {
  all.push_back(from_lengths("every second row empty", by_row(600, [](auto i) { return i % 2 ? 5 : 0; }), 50));
  all.push_back(
      from_lengths("first half of the rows empty", by_row(600, [](auto i) { return i < 300 ? 0 : 4; }), 50));
  all.push_back(
      from_lengths("last half of the rows empty", by_row(600, [](auto i) { return i < 300 ? 4 : 0; }), 50));
  all.push_back(from_lengths("half of the rows empty, at random",
                             by_row(2000, [](auto i) { return noise(i, 3) % 2 ? noise(i, 4) % 9 + 1 : 0; }),
                             90));
  all.push_back(from_lengths("leading and trailing empty rows",
                             by_row(900, [](auto i) { return i < 200 || i >= 700 ? 0 : i % 7; }), 80));
  all.push_back(
      from_lengths("empty rows between long ones", by_row(90, [](auto i) { return i % 30 ? 0 : 700; }), 900));
  all.push_back(from_lengths(
      "140000 empty rows around few entries",  // more than 2^17
      by_row(140004,
             [](auto i) { return i == 60000 || i == 60001 || i == 70000 || i == 100000 ? 3 + i % 90 : 0; }),
      100));
}

void add_disorder(std::vector<Pattern>& all) {
  for (std::uint64_t const seed : {1, 2, 3, 4, 5}) all.push_back(random_pattern(400, 300, seed));
  auto unsorted = random_pattern(300, 200, 6);
  unsorted.name = "columns not sorted";
  for (std::size_t i = 0; i + 1 < unsorted.offsets.size(); ++i) {
    auto const begin = unsorted.columns.begin() + unsorted.offsets[i],
               end = unsorted.columns.begin() + unsorted.offsets[i + 1];
    std::reverse(begin, end);
    if (end - begin > 3) std::swap(*(begin + 1), *(end - 1));
  }
  all.push_back(std::move(unsorted));
  auto repeated = random_pattern(300, 200, 7);
  repeated.name = "positions that repeat";
  for (std::size_t k = 0; k < repeated.nnz(); ++k)
    repeated.columns[k] = static_cast<std::int64_t>(noise(k, 8) % 6);
  all.push_back(std::move(repeated));
  auto zeros = random_pattern(300, 200, 9);
  zeros.name = "nothing but stored zeros";
  zeros.all_zero = true;
  all.push_back(std::move(zeros));
}

}  // namespace

std::vector<Pattern> const& battery() {
  static std::vector<Pattern> const all = [] {
    std::vector<Pattern> patterns;
    add_shapes(patterns);
    add_rows_around_lane_counts(patterns);
    add_empty_rows(patterns);
    add_disorder(patterns);
    return patterns;
  }();
  return all;
}

}  // namespace einkorn::test
