// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Threads that mark the same diagonals at once. What a race would do to them shows under a thread sanitizer,
// which does not know the threads of OpenMP: these are the standard library's.

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

TEST(DiagonalMarks, AreStoredBySeveralThreadsAtOnce) {
  using Host = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
  using Words = Kokkos::View<std::uint64_t*, Host>;
  auto const A = with_numbers<double>(random_pattern(3000, 40, 1), Numbers::integers).on_device<Host>();
  auto const size = static_cast<std::size_t>(A.num_rows + A.num_cols) - 1;
  Words const together("together", size / 8 + 1), alone("alone", size / 8 + 1);
  auto const mark = [&](Words const& words, int first, int last) {
    detail::MarkDiagonals<1, Kokkos::DefaultHostExecutionSpace, std::remove_const_t<decltype(A)>, Words> const
        body{A, words};
    std::size_t misplaced = 0;
    for (int row = first; row < last; ++row) body(row, misplaced);
  };
  mark(alone, 0, A.num_rows);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { mark(together, A.num_rows * t / 4, A.num_rows * (t + 1) / 4); });
  for (auto& thread : threads) thread.join();

  for (std::size_t i = 0; i < together.extent(0); ++i) EXPECT_EQ(together(i), alone(i)) << i;
}

}  // namespace
}  // namespace einkorn::test
