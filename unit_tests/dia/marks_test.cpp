// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Threads that mark the same diagonals concurrently. Uses std::thread, because the thread sanitizer that
// detects races does not support OpenMP.

#include "../support/battery.hpp"

#include <einkorn/formats/diagonals/detail/search.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

TEST(DiagonalMarks, ConcurrentMarksDoNotRace) {
  using Host = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
  using Words = Kokkos::View<std::uint64_t*, Host>;
  auto const A = with_numbers<double>(random_pattern(3000, 40, 1), Numbers::integers).on_device<Host>();
  auto const size = static_cast<std::size_t>(A.num_rows + A.num_cols) - 1;
  Words const concurrent("concurrent", size / 8 + 1), serial("serial", size / 8 + 1);
  auto const mark = [&](Words const& words, int first, int last) {
    detail::MarkDiagonalsOnHost<Kokkos::DefaultHostExecutionSpace, std::remove_const_t<decltype(A)>,
                                Words> const mark_row{A, words};
    for (int row = first; row < last; ++row) mark_row(static_cast<std::size_t>(row));
  };
  mark(serial, 0, A.num_rows);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { mark(concurrent, A.num_rows * t / 4, A.num_rows * (t + 1) / 4); });
  for (auto& thread : threads) thread.join();

  for (std::size_t i = 0; i < concurrent.extent(0); ++i) EXPECT_EQ(concurrent(i), serial(i)) << i;
}

}  // namespace
}  // namespace einkorn::test
