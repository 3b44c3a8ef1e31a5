// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The arrays of CSR5: a small example computed by hand, and the battery against a sequential model.

#include "../support/battery.hpp"
#include "model.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// 8 x 8 with 34 entries, rows of 3, 8, 0, 2, 7, 0, 6, 8; entry k has value k + 1.
HostMatrix<double> worked_example() {
  HostMatrix<double> A{8, 8, {0, 3, 11, 11, 13, 20, 20, 26, 34}, {}, {}};
  A.columns = {0, 3, 6, 0, 1, 2, 3, 4, 5, 6, 7, 2, 5, 0, 1, 3, 4,
               5, 6, 7, 0, 2, 3, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  for (int k = 0; k < 34; ++k) A.values.push_back(k + 1);
  return A;
}

/// A word by its fields: 4 bits y_offset, 2 bits seg_offset, 4 bits bit_flag (bit j: entry j of the lane).
std::uint32_t word(std::uint32_t y_offset, std::uint32_t seg_offset, std::uint32_t bit_flag) {
  return y_offset | seg_offset << 4 | bit_flag << 6;
}

TEST(Csr5Layout, WorkedExampleOfTwoTilesAndATail) {
  using Host = Kokkos::DefaultHostExecutionSpace;  // has tiles of 4 lanes
  auto const A = worked_example().on_device<Host::device_type>();

  auto const F = from_csr<Csr5>(Host(), A, {.lanes = 4, .sigma = 4});

  EXPECT_EQ(F.num_rows, 8);
  EXPECT_EQ(F.num_cols, 8);
  EXPECT_EQ(F.nnz(), 34);
  EXPECT_EQ(F.shape, (Csr5Shape{4, 4}));
  EXPECT_EQ(F.num_tiles, 2);
  EXPECT_EQ(F.longest_row, 8);
  EXPECT_EQ(F.tail_row, 7);
  // Tile 0 has entries 0 .. 15 of rows 0, 1, (2 is empty), 3, 4; tile 1 has 16 .. 31 of rows 4, (5 is empty),
  // 6, 7.
  EXPECT_EQ(to_host(F.tile_rows), (Words{0x80000000u | 0, 0x80000000u | 4, 7}));
  // Starts in tile 0: entries 0 and 3 (lane 0), 11 (lane 2), 13 (lane 3). In tile 1: 16 (lane 0, because it is
  // the tile's first), 20 (lane 1), 26 (lane 2); lane 3 has none.
  EXPECT_EQ(to_host(F.tile_descriptors),
            (Words{word(0, 1, 0b1001), word(2, 0, 0), word(2, 0, 0b1000), word(3, 0, 0b0010),  //
                   word(0, 0, 0b0001), word(1, 0, 0b0001), word(2, 1, 0b0100), word(3, 0, 0)}));
  EXPECT_EQ(to_host(F.empty_begin), (std::vector<int>{0, 4, 7}));
  EXPECT_EQ(to_host(F.empty_offsets), (std::vector<int>{0, 1, 3, 4, /**/ 0, 2, 3}));
  EXPECT_EQ(to_host(F.empty_rows), (std::vector<int>{2, 5}));
  EXPECT_EQ(to_host(F.values),
            (std::vector<double>{1,  5,  9,  13, 2,  6,  10, 14, 3,  7,  11, 15, 4,  8,  12, 16,  //
                                 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31, 20, 24, 28, 32, 33, 34}));
  EXPECT_EQ(to_host(F.columns), (std::vector<int>{0, 1, 5, 5, 3, 2, 6, 0, 6, 3, 7, 1, 0, 4, 2, 3,  //
                                                  4, 0, 6, 2, 5, 2, 7, 3, 6, 3, 0, 4, 7, 5, 1, 5, 6, 7}));
}

TEST(Csr5Layout, WordsPerDescriptor) {
  EXPECT_EQ(bits_for(1), 0);
  EXPECT_EQ(bits_for(2), 1);
  EXPECT_EQ(bits_for(12), 4);
  EXPECT_EQ(bits_for(16), 4);
  EXPECT_EQ(bits_for(17), 5);
  EXPECT_EQ((Csr5Shape{32, 16}.words()), 1);  // 9 + 5 + 16
  EXPECT_EQ((Csr5Shape{32, 17}.words()), 1);  // 10 + 5 + 17
  EXPECT_EQ((Csr5Shape{32, 18}.words()), 2);  // 10 + 5 + 18
  EXPECT_EQ((Csr5Shape{16, 16}.words()), 1);  // 8 + 4 + 16
  EXPECT_EQ((Csr5Shape{16, 19}.words()), 1);  // 9 + 4 + 19
  EXPECT_EQ((Csr5Shape{16, 20}.words()), 2);  // 9 + 4 + 20
  EXPECT_EQ((Csr5Shape{64, 32}.words()), 2);  // 11 + 6 + 32
  Csr5Shape const shape{64, 32};
  Csr5Lane const lane{0x80000001u, 2016, 63};
  auto const again = unpack(pack(shape, lane), shape.y_bits(), shape.segment_bits());
  EXPECT_EQ(again.starts, lane.starts);
  EXPECT_EQ(again.y_offset, lane.y_offset);
  EXPECT_EQ(again.seg_offset, lane.seg_offset);
}

/// ceil(log2(count))
int bits_to_count(std::size_t count) {
  return static_cast<int>(std::bit_width(count - 1));
}

/// One lane's descriptor, read bit by bit from the words.
struct Bits {
  std::uint64_t packed = 0;
  std::uint64_t take(int count) {
    auto const field = packed & ((std::uint64_t(1) << count) - 1);
    packed >>= count;
    return field;
  }
};

template <class Format>
void expect_layout(Format const& F, Csr5Model const& model, Csr5Shape const& shape) {
  using TileRow = typename Format::tile_row_type;
  auto const lanes = static_cast<std::size_t>(shape.lanes), words = static_cast<std::size_t>(shape.words());
  auto const tiles = model.tiles.size();
  ASSERT_EQ(static_cast<std::size_t>(F.num_tiles), tiles);
  EXPECT_EQ(static_cast<std::size_t>(F.tail_row), model.tail_row);
  auto const tile_rows = to_host(F.tile_rows);
  auto const descriptors = to_host(F.tile_descriptors);
  auto const empty_begin = to_host(F.empty_begin);
  auto const empty_offsets = to_host(F.empty_offsets);
  ASSERT_EQ(tile_rows.size(), tiles + 1);
  ASSERT_EQ(descriptors.size(), tiles * words * lanes);
  EXPECT_EQ(static_cast<std::size_t>(tile_rows.back()), model.tail_row);
  std::size_t in_flagged = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    auto const& tile = model.tiles[t];
    auto const top_bit = static_cast<TileRow>(TileRow(1) << (8 * sizeof(TileRow) - 1));
    ASSERT_EQ(tile_rows[t], static_cast<TileRow>(tile.row | (tile.spans_empty_row ? top_bit : 0)))
        << "tile " << t;
    for (std::size_t i = 0; i < lanes; ++i) {
      Bits bits{descriptors[t * words * lanes + i]};
      if (words == 2) bits.packed |= std::uint64_t(descriptors[(t * words + 1) * lanes + i]) << 32;
      ASSERT_EQ(bits.take(bits_to_count(lanes * static_cast<std::size_t>(shape.sigma))), tile.lanes[i].y_offset)
          << "tile " << t << ", lane " << i;
      ASSERT_EQ(bits.take(bits_to_count(lanes)), tile.lanes[i].seg_offset) << "tile " << t << ", lane " << i;
      for (bool const starts : tile.lanes[i].bit_flag)
        ASSERT_EQ(bits.take(1), starts) << "tile " << t << ", lane " << i;
      ASSERT_EQ(bits.packed, 0u) << "bits beyond the fields";
    }
    if (!tile.spans_empty_row) continue;
    ASSERT_EQ(empty_begin.size(), tiles + 1);
    ASSERT_EQ(static_cast<std::size_t>(empty_begin[t]), in_flagged);
    ASSERT_EQ(static_cast<std::size_t>(empty_begin[t + 1]), in_flagged + tile.start_rows.size());
    for (auto const row : tile.start_rows)
      ASSERT_EQ(static_cast<std::size_t>(empty_offsets.at(in_flagged++)), row - tile.row) << "tile " << t;
  }
  EXPECT_EQ(empty_offsets.size(), in_flagged);
  EXPECT_EQ(std::vector<std::size_t>(), [&] {
    std::vector<std::size_t> differences;
    auto const rows = to_host(F.empty_rows);
    if (rows.size() != model.empty_rows.size()) return std::vector<std::size_t>{rows.size()};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (static_cast<std::size_t>(rows[i]) != model.empty_rows[i]) differences.push_back(i);
    return differences;
  }());
}

template <class C>
class Csr5LayoutOf : public testing::Test {};
using IndexPairs = Configs<float>;
TYPED_TEST_SUITE(Csr5LayoutOf, IndexPairs);

TYPED_TEST(Csr5LayoutOf, EqualsTheSequentialModel) {
  for (auto const& pattern : battery()) {
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    auto const A = host.on_device();
    for (auto const& shape : layout_shapes()) {
      SCOPED_TRACE(pattern.name + ", " + to_string(shape));
      auto const model = model_of(host, shape);

      auto const F = from_csr<Csr5>(Space(), A, options_of(shape));

      expect_layout(F, model, shape);
      auto const columns = to_host(F.columns);
      auto const values = to_host(F.values);
      ASSERT_EQ(columns.size(), host.columns.size());
      std::size_t misplaced = 0;
      for (std::size_t p = 0; p < columns.size(); ++p)
        misplaced +=
            columns[p] != host.columns[model.order[p]] || values[p] != host.values[model.order[p]] ||
            static_cast<std::size_t>(F.position(static_cast<typename TypeParam::Offset>(model.order[p]))) != p;
      EXPECT_EQ(misplaced, 0u);
      EXPECT_EQ(F.row_offsets.data(), A.row_offsets.data()) << "row_offsets is shared";
    }
  }
}

}  // namespace
}  // namespace einkorn::test
