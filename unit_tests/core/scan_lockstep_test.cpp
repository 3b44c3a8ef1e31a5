// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The prefix sum of a GPU, emulated on the host, against a loop. counts_to_offsets() against the same loop.

#include "../support/host_matrix.hpp"
#include "../support/lockstep.hpp"

#include <einkorn/core/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

/// Counts from 0 to 6, without order; the last entry is not a count.
template <class Count>
std::vector<Count> counts_of(std::size_t size) {
  std::vector<Count> counts(size);
  for (std::size_t i = 0; i < size; ++i) counts[i] = static_cast<Count>((i * i + 3 * i / 2) % 7);
  return counts;
}

template <class Count>
std::vector<Count> offsets_of(std::vector<Count> counts) {
  Count before(0);
  for (auto& count : counts) before += std::exchange(count, before);
  return counts;
}

std::vector<std::size_t> const scan_sizes{1, 2, 3, 7, 8, 9, 255, 256, 257, 2047, 2048, 2049, 4096, 4097, 10000};

template <class Count>
void expect_scan_in_parts() {
  for (std::size_t const size : scan_sizes)
    for (std::int64_t const max_parts : {1, 2, 3, 1024}) {
      auto const counts = counts_of<Count>(size), expected = offsets_of(counts);
      Kokkos::View<Count*, Device> const view("counts", size);
      for (std::size_t i = 0; i < size; ++i) view(i) = counts[i];
      std::vector<std::uint64_t> words(static_cast<std::size_t>(detail::scan_words), 99);

      detail::launch_scan_in_parts(Lockstep(), view, words.data(), max_parts);

      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(view(i), expected[i]) << "entry " << i << " of " << size << ", parts " << max_parts;
      EXPECT_EQ(words[0], static_cast<std::uint64_t>(expected[size - 1])) << size;
    }
}

TEST(ScanLockstep, OffsetsOfALoop) {
  expect_scan_in_parts<int>();
  expect_scan_in_parts<std::size_t>();
}

TEST(Scan, CountsToOffsets) {
  for (std::size_t const size : scan_sizes) {
    auto const counts = counts_of<std::int64_t>(size), expected = offsets_of(counts);
    auto const view = to_device(counts);
    EXPECT_EQ(counts_to_offsets(Space(), view), expected.back()) << size;
    EXPECT_EQ(to_host(view), expected) << size;
  }
  EXPECT_EQ(counts_to_offsets(Space(), Kokkos::View<int*, Device>()), 0);
}

}  // namespace
}  // namespace einkorn::test
