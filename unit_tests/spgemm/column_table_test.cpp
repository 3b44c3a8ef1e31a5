// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Hash tables of compressed columns: full tables, colliding keys, wrap-around, masks, concurrent insertions.

#include "../support/types.hpp"

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace einkorn::test {
namespace {

TEST(CompressedColumns, KeysAndBitsOfIndices) {
  EXPECT_EQ(num_keys_for(0), 0);
  EXPECT_EQ(num_keys_for(32), 1);
  EXPECT_EQ(num_keys_for(33), 2);
  std::vector<int> found(4, -1);
  int* const end = write_indices(3, bit_of(96) | bit_of(101) | bit_of(127), found.data());
  EXPECT_EQ(end - found.data(), 3);
  EXPECT_EQ(found, (std::vector<int>{96, 101, 127, -1}));
  EXPECT_EQ(bits_below(0xffu, bit_of(37)), 5);
  EXPECT_EQ(bits_below(0x80000001u, bit_of(31)), 1);
  EXPECT_EQ(key_of(std::int64_t(5) << 40), std::int64_t(5) << 35);
}

/// A table on the host.
template <class Index, class L>
struct HostTable {
  using index_type = Index;
  std::vector<CompressedColumns<Index>> columns;
  ColumnTable<Index, L> table;

  explicit HostTable(std::size_t capacity) : columns(capacity) {
    table = {columns.data(), static_cast<int>(capacity)};
    for (std::size_t slot = 0; slot < capacity; ++slot) table.clear(static_cast<int>(slot));
  }
};

/// Keys whose search begins in the same slot.
template <class Index, class L>
std::vector<Index> colliding(ColumnTable<Index, L> const& table, int home, std::size_t count) {
  std::vector<Index> keys;
  for (Index key = 0; keys.size() < count; ++key)
    if (table.home(key) == home) keys.push_back(key);
  return keys;
}

template <class Table>
class ColumnTableOf : public testing::Test {};
using Tables =
    TestTypes<HostTable<int, OneThread>, HostTable<int, ScalarLane>, HostTable<std::int64_t, ScalarLane>>;
TYPED_TEST_SUITE(ColumnTableOf, Tables);

TYPED_TEST(ColumnTableOf, CollidingKeysWrapAround) {
  TypeParam host(16);
  auto const keys = colliding(host.table, 14, 6);  // slots 14, 15, 0, 1, 2, 3
  for (auto const key : keys) ASSERT_NE(host.table.insert(key, 1), host.table.none);

  std::set<int> slots;
  for (auto const key : keys) {
    slots.insert(host.table.find(key));
    EXPECT_EQ(host.table.columns[host.table.find(key)].key, key);
  }

  EXPECT_EQ(slots, (std::set<int>{14, 15, 0, 1, 2, 3}));
  EXPECT_EQ(host.table.find(colliding(host.table, 14, 7).back()), host.table.none);
}

TYPED_TEST(ColumnTableOf, InsertFailsWhenFull) {
  TypeParam host(32);
  using Index = typename TypeParam::index_type;
  for (Index key = 0; key < 32; ++key) EXPECT_NE(host.table.insert(7 * key, 1), host.table.none);

  EXPECT_EQ(host.table.insert(Index(1000003), 1), host.table.none);
  EXPECT_EQ(host.table.find(Index(1000003)), host.table.none);
  for (Index key = 0; key < 32; ++key) {
    int const slot = host.table.insert(7 * key, 2);  // still there when the table is full
    ASSERT_NE(slot, host.table.none);
    EXPECT_EQ(host.table.columns[slot].mask, 3u);
  }
}

TYPED_TEST(ColumnTableOf, MasksOfAKeyAreCombined) {
  TypeParam host(4);
  host.table.insert(9, 0x1u);
  host.table.insert(9, 0x80000000u);
  host.table.insert(2, 0x6u);

  EXPECT_EQ(host.table.columns[host.table.find(9)].mask, 0x80000001u);
  EXPECT_EQ(host.table.columns[host.table.find(2)].mask, 0x6u);
}

TEST(ColumnTable, StridedKeysSpreadOverTheSlots) {
  for (int const step : {1, 32, 1024, 65536}) {
    HostTable<int, OneThread> host(64);
    std::set<int> homes;
    for (int i = 0; i < 1024; ++i) homes.insert(host.table.home(i * step));
    EXPECT_GT(homes.size(), 32u) << "step " << step;
  }
}

/// Keys with one and with many columns, whose searches begin in the last slots.
TEST(RankTable, FindsRanks) {
  constexpr int capacity = 16;
  std::vector<int> list;
  int num_keys = 0;
  for (int key = 0; num_keys < 5; ++key) {
    if (home_slot(key, capacity) < capacity - 2) continue;
    for (int bit = 0; bit <= 7 * num_keys; ++bit) list.push_back(32 * key + bit);
    ++num_keys;
  }
  std::vector<int> keys(capacity);
  std::vector<RankedColumns> columns(capacity);
  RankTable<int, OneThread> const table{keys.data(), columns.data(), capacity};
  for (int slot = 0; slot < capacity; ++slot) table.clear(slot);
  auto const size = static_cast<int>(list.size());
  for (int rank = size; rank-- > 0;) table.insert(list.data(), rank);

  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(table.rank_of(list[static_cast<std::size_t>(rank)]), rank);
    EXPECT_EQ(table.find(list[static_cast<std::size_t>(rank)]), rank);
  }
  EXPECT_EQ(table.find(list.back() + 1), table.none);  // its key is present
  EXPECT_EQ(table.find(list[0] + 32 * 1000003), table.none);
}

using SharedTable = ColumnTable<int, Lanes<Space>>;
struct ClearSlot {
  SharedTable table;
  KOKKOS_FUNCTION void operator()(int slot) const { table.clear(slot); }
};
struct InsertBit {
  SharedTable table;
  KOKKOS_FUNCTION void operator()(int i) const { table.insert(i / 32 * 37, std::uint32_t(1) << (i % 32)); }
};

/// Each bit of each key is inserted by another thread: the contents do not depend on the order.
TEST(ColumnTable, ConcurrentInsertions) {
  constexpr int capacity = 256, num_keys = 200, bits = 32;
  Kokkos::View<CompressedColumns<int>*, Device> const columns("columns", capacity);
  SharedTable const table{columns.data(), capacity};
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(0, capacity), ClearSlot{table});

  Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(0, num_keys * bits), InsertBit{table});

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), columns);
  std::multiset<int> found;
  for (std::size_t slot = 0; slot < capacity; ++slot)
    if (host(slot).key != -1) {
      found.insert(host(slot).key);
      EXPECT_EQ(host(slot).mask, 0xffffffffu);
    }
  EXPECT_EQ(found.size(), static_cast<std::size_t>(num_keys));
  for (int key = 0; key < num_keys; ++key) EXPECT_EQ(found.count(key * 37), 1u);
}

}  // namespace
}  // namespace einkorn::test
