// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Columns as 16-bit codes: which tiles have them; sums equal bit for bit.

#include "../support/near.hpp"
#include "../support/windows.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::test {
namespace {

template <class Format>
auto product(Format const& F, bool planned) {
  using S = typename Format::scalar_type;
  auto const x = to_device(numbers<S>(Numbers::reals, static_cast<std::size_t>(F.num_cols), 2));
  auto const y = to_device(std::vector<S>(static_cast<std::size_t>(F.num_rows), not_a_number<S>()));
  if (planned)
    spmv(Space(), make_spmv_plan(Space(), F), S(0.75), x, S(0), y);
  else
    spmv(Space(), S(0.75), F, x, S(0), y);
  return to_host(y);
}

/// F.column(at), evaluated on the device.
template <class Format>
int column_at(Format const& F, int at) {
  int column = -1;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, 1), KOKKOS_LAMBDA(int, int& sum) { sum += F.column(at); }, column);
  return column;
}

/// The columns of each tile in the order of the CSR.
template <class Format>
std::vector<Columns> tiles_of(Format const& F, Columns const& columns) {
  auto const size = static_cast<std::ptrdiff_t>(F.tile_size());
  std::vector<Columns> tiles;
  for (std::ptrdiff_t t = 0; t < static_cast<std::ptrdiff_t>(F.num_tiles); ++t)
    tiles.emplace_back(columns.begin() + t * size, columns.begin() + (t + 1) * size);
  return tiles;
}

std::vector<Csr5Shape> shapes_that_pay() {
  auto shapes = runnable_shapes();
  std::erase_if(shapes, [](auto const& shape) { return shape.lanes * shape.sigma < 16; });
  return shapes;
}

TEST(Csr5Compressed, OnlySomeTilesHaveCodes) {
  for (auto const& shape : shapes_that_pay()) {
    SCOPED_TRACE(to_string(shape));
    auto const pattern = near_and_far_rows(9, shape.lanes * shape.sigma);
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    auto const F = from_csr<Csr5>(Space(), host.on_device(), coded(shape));
    auto const whole = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
    bool const pays =
        5 * 2 * shape.lanes * shape.sigma > 9 * (16 + 4);  // bytes of codes against shifts and offsets

    ASSERT_EQ(F.num_tiles, 9);
    EXPECT_EQ(F.compressed.num_tiles, pays ? 5 : 0);
    EXPECT_EQ(F.compressed.begins.extent(0), pays ? 9u : 0u);
    EXPECT_EQ(F.coded_entries(), F.compressed.num_tiles * F.tile_size());
    EXPECT_LE(F.bytes(), whole.bytes());
    EXPECT_EQ(product(F, false), product(whole, false));
    EXPECT_EQ(product(F, true), product(whole, true));
    for (int k = 0; k < F.nnz(); k += 7) {
      EXPECT_EQ(column_at(F, F.position(k)), host.columns[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(Csr5Compressed, NumberOfWindowsDecidesCodes) {
  for (auto const& shape : shapes_that_pay()) {
    if (shape.lanes * shape.sigma > 128) continue;  // so that rows of 64 fill the tile
    SCOPED_TRACE(to_string(shape));
    auto const pattern = from_rows("", edge_rows(), 300000);
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    auto const F = from_csr<Csr5>(Space(), host.on_device(), coded(shape));
    int with_windows = 0;
    for (auto const& tile : tiles_of(F, pattern.columns)) with_windows += has_windows(tile) ? 1 : 0;
    EXPECT_EQ(F.compressed.num_tiles, with_windows);
    EXPECT_LT(F.compressed.num_tiles, F.num_tiles);
    EXPECT_EQ(to_host(to_csr(Space(), F)).columns, host.columns);
  }
}

template <class S, class O, class F>
void expect_the_same_sums() {
  std::size_t with_codes = 0;
  for (auto const& pattern : battery())
    for (auto const& shape : pattern.is_large() ? few_shapes() : runnable_shapes()) {
      SCOPED_TRACE(pattern.name + ", " + to_string(shape));
      auto const host = with_numbers<S, O, F>(pattern, Numbers::reals);
      auto const compressed = from_csr<Csr5>(Space(), host.on_device(), coded(shape));
      auto const whole = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
      with_codes += compressed.compressed.any() ? 1 : 0;
      EXPECT_TRUE(same_numbers(product(compressed, false), product(whole, false)));
      EXPECT_TRUE(same_numbers(product(compressed, true), product(whole, true)));
      EXPECT_LE(compressed.bytes(), whole.bytes());
    }
  EXPECT_GT(with_codes, battery().size());
}

TEST(Csr5Compressed, SameBitsAsFullColumnsDouble) {
  expect_the_same_sums<double, int, int>();
}
TEST(Csr5Compressed, SameBitsAsFullColumnsFloatInt64) {
  expect_the_same_sums<float, std::int64_t, std::size_t>();
}

template <class O, class F>
void expect_columns_up_to(O num_cols) {
  auto const last = static_cast<std::int64_t>(num_cols) - 1;
  std::vector<Columns> rows(40, run_of(last - 63, 64));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i][i] = last - 16380 - static_cast<std::int64_t>(i);
  rows.insert(rows.begin() + 20, 20, run_of(0, 64));
  auto const host =
      with_numbers<double, O, F>(from_rows("", rows, static_cast<std::int64_t>(num_cols)), Numbers::reals);
  for (auto const& shape : shapes_that_pay()) {
    auto const made = from_csr<Csr5>(Space(), host.on_device(), coded(shape));
    EXPECT_EQ(made.compressed.num_tiles, made.num_tiles) << to_string(shape);
    EXPECT_EQ(to_host(to_csr(Space(), made)).columns, host.columns) << to_string(shape);
  }
}

TEST(Csr5Compressed, LargestColumnsOfOrdinal) {
  expect_columns_up_to<int, int>(std::numeric_limits<int>::max());
  expect_columns_up_to<int, std::size_t>(std::numeric_limits<int>::max());
  expect_columns_up_to<std::int64_t, std::size_t>(std::numeric_limits<std::int64_t>::max());
}

TEST(Csr5Compressed, NoCodesThatSaveNoMemory) {
  auto const few = with_numbers<double>(random_pattern(3, 100, 1), Numbers::reals);
  for (auto const& host : {few, HostMatrix<double>{}}) {
    auto const F = from_csr<Csr5>(Space(), host.on_device(), coded(runnable_shapes().back()));
    EXPECT_FALSE(F.compressed.any());
    EXPECT_EQ(F.compressed.bytes(), 0u);
    EXPECT_EQ(F.columns.extent(0), host.nnz());
  }
  std::vector<Columns> const one_column(3000, Columns(1, 0));
  auto const host = with_numbers<double>(from_rows("", one_column, 1), Numbers::reals);
  auto const F = from_csr<Csr5>(Space(), host.on_device(), coded({0, 0}));
  EXPECT_EQ(F.compressed.num_tiles, F.num_tiles);
  EXPECT_EQ(F.columns.extent(0), host.nnz() - static_cast<std::size_t>(F.num_tiles * F.tile_size()));
  EXPECT_EQ(to_host(to_csr(Space(), F)).columns, host.columns);
}

}  // namespace
}  // namespace einkorn::test
