// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Matrices whose entries lie on given diagonals, for the tests of DIA and bDIA.

#include "../support/battery.hpp"
#include "../support/near.hpp"

#include <einkorn/formats/diagonals/detail/fill.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {

/// Every entry (i, i + d) of a num_rows x num_cols matrix, for ascending diagonals d.
inline Pattern on_diagonals(std::int64_t num_rows, std::int64_t num_cols,
                            std::vector<std::int64_t> const& diagonals) {
  Pattern pattern;
  pattern.name = std::to_string(num_rows) + " x " + std::to_string(num_cols) + " on " +
                 std::to_string(diagonals.size()) + " diagonals from " +
                 std::to_string(diagonals.empty() ? 0 : diagonals.front());
  pattern.num_rows = num_rows;
  pattern.num_cols = num_cols;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    for (auto const d : diagonals)
      if (i + d >= 0 && i + d < num_cols) pattern.columns.push_back(i + d);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

/// first, first + 1, .., first + width - 1
inline std::vector<std::int64_t> band(std::int64_t first, std::int64_t width) {
  std::vector<std::int64_t> diagonals;
  for (std::int64_t j = 0; j < width; ++j) diagonals.push_back(first + j);
  return diagonals;
}

/// Concatenates ascending bands.
inline std::vector<std::int64_t> bands(std::vector<std::vector<std::int64_t>> const& all) {
  std::vector<std::int64_t> diagonals;
  for (auto const& one : all) diagonals.insert(diagonals.end(), one.begin(), one.end());
  return diagonals;
}

/// Square, wide and tall matrices; one and several bands; widths near SIMD and warp sizes; corners only.
inline std::vector<Pattern> diagonal_patterns() {
  std::vector<Pattern> all;
  for (std::int64_t const width : {1, 2, 3, 27, 31, 32, 33, 101})
    all.push_back(on_diagonals(700, 700, band(-width / 2, width)));
  all.push_back(on_diagonals(1500, 1500, bands({{-400}, {-20}, band(-1, 3), {20}, {400}})));
  all.push_back(
      on_diagonals(1100, 1100, bands({band(-331, 3), band(-31, 3), band(-1, 3), band(29, 3), band(329, 3)})));
  all.push_back(on_diagonals(600, 600, {-9, -7, -5, -3, -1, 1, 3, 5, 7, 9, 11}));
  all.push_back(on_diagonals(40, 3000, bands({band(-39, 5), band(700, 40), band(2990, 10)})));
  all.push_back(on_diagonals(3000, 40, bands({band(-2999, 7), band(-1500, 33), band(35, 5)})));
  all.push_back(on_diagonals(513, 511, {-512, 510}));
  all.push_back(on_diagonals(37, 53, band(-36, 89)));
  all.push_back(on_diagonals(1, 90, band(3, 80)));
  all.push_back(on_diagonals(90, 1, band(-80, 70)));
  return all;
}

/// Rows that fit in the scratch of a team and rows that do not; diagonals with holes; empty rows at both ends.
inline std::vector<Pattern> patterns_around_scratch() {
  auto const with_holes = [](Pattern const& full, std::int64_t first_row, std::int64_t last_row, int keep) {
    Pattern pattern = full;
    pattern.name += ", with holes";
    pattern.columns.clear();
    pattern.offsets = {0};
    for (std::int64_t i = 0; i < full.num_rows; ++i) {
      auto const row = static_cast<std::size_t>(i);
      for (auto k = full.offsets[row]; k < full.offsets[row + 1]; ++k)
        if (i >= first_row && i < last_row && noise(static_cast<std::uint64_t>(k), 5) % 8 < unsigned(keep))
          pattern.columns.push_back(full.columns[static_cast<std::size_t>(k)]);
      pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
    }
    return pattern;
  };
  std::vector<Pattern> all;
  all.push_back(on_diagonals(1003, 1003, {-100, -10, -1, 0, 1, 10, 100}));
  all.push_back(on_diagonals(401, 401, band(-40, 81)));
  all.push_back(on_diagonals(500, 3500, band(0, 3000)));  // longer than scratch
  all.push_back(on_diagonals(70, 400, band(0, 330)));
  all.push_back(with_holes(on_diagonals(1003, 990, band(-13, 27)), 0, 1003, 5));
  all.push_back(with_holes(on_diagonals(777, 800, band(-3, 16)), 0, 777, 7));
  all.push_back(with_holes(on_diagonals(900, 900, bands({{-300}, band(-2, 5), {250}})), 300, 611, 6));
  auto one_long = with_holes(on_diagonals(640, 3400, band(0, 1)), 0, 640, 8);
  one_long.name += ", one row of 3000";
  for (std::int64_t c = 321; c < 3320; ++c)
    one_long.columns.insert(one_long.columns.begin() + one_long.offsets[321] - 1 + (c - 320), c);
  for (std::size_t i = 321; i < one_long.offsets.size(); ++i) one_long.offsets[i] += 2999;
  all.push_back(std::move(one_long));
  return all;
}

/// Expected values: the entry of row i on diagonal d at d * stride + i, 0 elsewhere.
template <class Host>
std::vector<typename Host::Scalar> slots_of(Host const& A, std::vector<typename Host::Ordinal> const& diagonals,
                                            std::size_t stride) {
  std::vector<typename Host::Scalar> slots(diagonals.size() * stride, typename Host::Scalar(0));
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const diagonal = A.columns[k] - static_cast<typename Host::Ordinal>(i);
      auto const d = std::lower_bound(diagonals.begin(), diagonals.end(), diagonal) - diagonals.begin();
      slots[static_cast<std::size_t>(d) * stride + i] = A.values[k];
    }
  return slots;
}

/// Tridiagonal matrices of so many rows that a GPU searches a sample of them for diagonals, and finds out later that it is not
/// enough: an entry on another diagonal, an unsorted row, a repeated position.
inline std::vector<HostMatrix<double>> with_rare_diagonals() {
  auto tridiagonal = on_diagonals(200000, 200000, {-1, 0, 1});
  tridiagonal.name = "one entry on another diagonal";
  auto const at = static_cast<std::size_t>(tridiagonal.offsets[301]);
  tridiagonal.columns.insert(tridiagonal.columns.begin() + static_cast<std::ptrdiff_t>(at), 900);
  for (std::size_t i = 301; i < tridiagonal.offsets.size(); ++i) ++tridiagonal.offsets[i];
  std::vector<HostMatrix<double>> all{with_numbers<double>(tridiagonal, Numbers::integers)};
  auto unsorted = all.front();
  std::swap(unsorted.columns[at - 3], unsorted.columns[at - 2]);
  all.push_back(unsorted);
  auto repeated = all.front();
  repeated.columns[at] = repeated.columns[at - 1];
  all.push_back(repeated);
  return all;
}

/// Checks the slots of a conversion; repeated positions are summed. Integers: the sums are exact.
template <class Format, class List>
void expect_filled(HostMatrix<double> const& A, Format const& F, List const& list) {
  auto const diagonals = to_host(list);
  auto const stride = static_cast<std::size_t>(F.stride);
  std::vector<double> slots(diagonals.size() * stride, 0);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const d = std::lower_bound(diagonals.begin(), diagonals.end(), A.columns[k] - static_cast<int>(i)) -
                     diagonals.begin();
      slots[static_cast<std::size_t>(d) * stride + i] += A.values[k];
    }
  EXPECT_TRUE(to_host(F.values) == slots);
}

/// Checks from_csr and the GPU kernel that fills every slot. A has sorted rows and unique positions.
template <class Host, class Format, class List>
void expect_filled_in_teams(Host const& A, Format const& F, List const& list) {
  auto const want = slots_of(A, to_host(list), static_cast<std::size_t>(F.stride));
  EXPECT_TRUE(to_host(F.values) == want) << "from_csr";
  ASSERT_TRUE(F.sorted_unique_rows);
  Kokkos::deep_copy(F.values, typename Host::Scalar(77));
  auto const matrix = A.on_device();
  using Functor = detail::FillDiagonals<Space, Format, List, std::remove_const_t<decltype(matrix)>>;
  Kokkos::View<std::uint64_t*, Device> const written("written", Functor::counters);
  detail::fill_diagonals_in_teams(Space(), "test", F, list, matrix, written.data());
  EXPECT_TRUE(to_host(F.values) == want) << "in teams";
  auto const counts = to_host(written);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t(0)), A.values.size());
}

/// multiply(alpha, x, beta, y) computes y <- alpha A x + beta y. Compared exactly; y is NaN if beta is 0.
template <class S, class Host, class Multiply>
void expect_exact_products(Host const& A, Multiply const& multiply) {
  auto const x = numbers<S>(Numbers::integers, A.cols(), 2);
  auto const device_x = to_device(x);
  for (auto const& [alpha, beta] : {std::pair{S(1), S(0)}, std::pair{S(-2.5), S(0.5)}}) {
    auto const before =
        beta == S(0) ? std::vector<S>(A.rows(), not_a_number<S>()) : numbers<S>(Numbers::integers, A.rows(), 3);
    auto const y = to_device(before);

    multiply(alpha, device_x, beta, y);

    EXPECT_TRUE(agrees(to_host(y), expected<S>(A, x, alpha, beta), before, true))
        << "alpha " << alpha << ", beta " << beta;
  }
}

}  // namespace einkorn::test
