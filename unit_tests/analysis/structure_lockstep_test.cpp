// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The GPU kernels of structure() and of the search for diagonals, emulated on the host, against those of the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"

#include <einkorn/formats/analysis/detail/diagonals.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/diagonals/detail/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

using Counters = StructureCounters<Device>;
using Matrix = std::remove_const_t<decltype(with_numbers<double>(Pattern(), Numbers::integers).on_device())>;
using Numbers64 = Kokkos::View<std::int64_t*, Device>;
using Entries = std::map<std::int64_t, std::int64_t>;  // per diagonal

/// visit(row, column) for each entry.
template <class Visit>
void for_each_entry(Pattern const& pattern, Visit const& visit) {
  for (std::size_t i = 0; i + 1 < pattern.offsets.size(); ++i)
    for (std::int64_t k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      visit(static_cast<std::int64_t>(i), pattern.columns[static_cast<std::size_t>(k)]);
}

/// Patterns with entries and at most max_row_by_lanes entries per row: the battery, and bands with a few exceptions.
std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (auto const& pattern : battery()) {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i + 1 < pattern.offsets.size(); ++i)
      longest = std::max(longest, pattern.offsets[i + 1] - pattern.offsets[i]);
    if (longest > 0 && longest <= max_row_by_lanes && !pattern.is_large()) all.push_back(pattern);
  }
  for (std::int64_t const width : {1, 5, 27, 81}) {
    Pattern band = from_lengths("band of " + std::to_string(width), {}, 1200);
    band.num_rows = 1100;
    for (std::int64_t i = 0; i < band.num_rows; ++i) {
      for (std::int64_t j = i - width / 2; j <= i + width / 2; ++j)
        if (j >= 0 && j < band.num_cols && !(i % 300 == 7 && j == i)) band.columns.push_back(j);
      band.offsets.push_back(static_cast<std::int64_t>(band.columns.size()));
    }
    all.push_back(band);
  }
  Pattern scattered = from_lengths("more diagonals than are listed", {}, 20000);
  scattered.num_rows = 600;
  for (std::int64_t i = 0; i < scattered.num_rows; ++i) {
    scattered.columns.push_back(20 * i);
    scattered.offsets.push_back(i + 1);
  }
  all.push_back(scattered);
  all.push_back(random_pattern(2000, 3000, 5));
  Pattern repeats = from_lengths("repeated positions in order", {3, 3}, 9);
  repeats.columns = {0, 0, 1, 2, 3, 3};
  all.push_back(repeats);
  return all;
}

Entries entries_of(Pattern const& pattern, std::int64_t sample) {
  constexpr std::int64_t block_rows = CountDiagonals<Lockstep, Matrix, Device>::Rows::block_rows;
  Entries result;
  for_each_entry(
      pattern, [&](std::int64_t i, std::int64_t j) { result[j - i] += i / block_rows % sample == 0 ? 1 : 0; });
  return result;
}

Counters counters_of(Matrix const& A) {
  return Counters(Space(), static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1,
                  static_cast<std::int64_t>(A.nnz()));
}

void expect_list(Counters const& counters, Entries const& entries) {
  auto const& counts = counters.counts;
  ASSERT_EQ(counts(Counters::num_diagonals), static_cast<std::int64_t>(entries.size()));
  std::int64_t bands = 0;
  for (auto const& [d, count] : entries) bands += entries.count(d - 1) == 0 ? 1 : 0;
  EXPECT_EQ(counts(Counters::num_bands), bands);
  if (counts(Counters::num_diagonals) > max_listed_diagonals) return;
  ASSERT_EQ(counts(Counters::num_listed), counts(Counters::num_diagonals));
  std::vector<std::int64_t> list(entries.size()), expected;
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = counts(Counters::list + static_cast<int>(i));
  std::sort(list.begin(), list.end());
  for (auto const& [d, count] : entries) expected.push_back(d);
  EXPECT_EQ(list, expected);
}

TEST(StructureLockstep, RowsAndDiagonalsAsOnTheHost) {
  for (auto const& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
    auto const gpu = counters_of(A), host = counters_of(A);

    analyze_rows(Lockstep(), A, gpu, 1);
    analyze_rows(Space(), A, host, 1);
    analyze_diagonals(Lockstep(), gpu, A.num_rows);

    for (int slot = 0; slot < Counters::num_combined; ++slot) {
      if (slot == Counters::num_diagonals || slot == Counters::num_bands) continue;
      std::int64_t const found = gpu.counts(slot);
      EXPECT_EQ(slot == Counters::unsorted_rows ? std::min<std::int64_t>(found, 1) : found, host.counts(slot))
          << "slot " << slot;
    }
    expect_list(gpu, entries_of(pattern, 1));
  }
}

TEST(StructureLockstep, RowLengthsOfASampleAreThoseOfAllRows) {
  for (auto const& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
    auto const all = counters_of(A), sample = counters_of(A);

    analyze_rows(Lockstep(), A, all, 1);
    analyze_rows(Lockstep(), A, sample, 2);

    for (int slot = 0; slot < Counters::num_combined; ++slot)
      if (slot == Counters::longest_row || slot == Counters::sum_of_squares || slot >= Counters::histogram)
        EXPECT_EQ(sample.counts(slot), all.counts(slot)) << "slot " << slot;
      else
        EXPECT_LE(sample.counts(slot), all.counts(slot)) << "slot " << slot;
  }
}

TEST(StructureLockstep, EntriesPerDiagonalOfSampledBlocks) {
  using Functor = CountDiagonals<Lockstep, Matrix, Device>;
  for (auto const& pattern : patterns())
    for (std::int64_t const sample : {1, 3}) {
      SCOPED_TRACE(pattern.name + ", sample " + std::to_string(sample));
      auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
      auto const expected = entries_of(pattern, sample);
      if (static_cast<std::int64_t>(expected.size()) > max_listed_diagonals) continue;
      Numbers64 const offsets("offsets", expected.size()), entries("entries", expected.size());
      std::size_t at = 0;
      for (auto const& [d, count] : expected) offsets(at++) = d;

      run_in_lockstep(Functor{A, offsets, entries, sample}, 2, Functor::team_size,
                      Functor::scratch_bytes(expected.size()));

      at = 0;
      for (auto const& [d, count] : expected) EXPECT_EQ(entries(at++), count) << "diagonal " << d;
    }
}

TEST(DiagonalMarks, TeamsMarkTheDiagonalsOfTheHost) {
  for (auto const& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
    auto const expected = mark_diagonals(Space(), A);
    Kokkos::View<std::uint64_t*, Device> const words("words", expected.words.extent(0));

    visit_diagonals(Lockstep(), A, 1, MarkByByte<Lockstep>{bytes_of(words) + (A.num_rows - 1)});

    for (std::size_t i = 0; i < words.extent(0); ++i) ASSERT_EQ(words(i), expected.words(i)) << i;
  }
}

TEST(DiagonalMarks, TeamsListTheDiagonalsOfTheEntries) {
  for (auto const& pattern : patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
    std::vector<std::uint64_t> words(DiagonalTable::size, 0);
    std::uint64_t const no_errors[InspectionWords::size] = {};
    std::vector<std::int64_t> expected;
    for (auto const& [d, count] : entries_of(pattern, 1)) expected.push_back(d);

    visit_diagonals(Lockstep(), A, 1, InsertInTable<Lockstep>{{words.data()}, {no_errors}, A.num_rows});

    if (expected.size() > DiagonalTable::capacity)
      EXPECT_GT(words[0], DiagonalTable::capacity);
    else
      EXPECT_EQ(read_diagonal_table(words.data(), A.num_rows), expected);
  }
}

TEST(DiagonalMarks, NoneOfAnInvalidMatrix) {
  auto const A = with_numbers<double>(patterns().front(), Numbers::integers).on_device();
  std::vector<std::uint64_t> words(DiagonalTable::size, 0);
  std::uint64_t errors[InspectionWords::size] = {};
  errors[InspectionWords::at] = 1;
  visit_diagonals(Lockstep(), A, 1, InsertInTable<Lockstep>{{words.data()}, {errors}, A.num_rows});
  EXPECT_EQ(words[0], 0u);
}

}  // namespace
}  // namespace einkorn::test
