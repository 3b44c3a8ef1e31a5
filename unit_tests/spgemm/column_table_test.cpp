// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Hash tables of words: full, with keys that collide, around the end; bits; many threads at once.

#include "../support/types.hpp"

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/rank_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace einkorn::test {
namespace {

TEST(IndexWords, ArePlacesOfTheirIndices) {
  EXPECT_EQ(words_for(0), 0);
  EXPECT_EQ(words_for(32), 1);
  EXPECT_EQ(words_for(33), 2);
  std::vector<int> found(4, -1);
  int* const end = write_indices(3, bit_of(96) | bit_of(101) | bit_of(127), found.data());
  EXPECT_EQ(end - found.data(), 3);
  EXPECT_EQ(found, (std::vector<int>{96, 101, 127, -1}));
  EXPECT_EQ(bits_below(0xffu, bit_of(37)), 5);
  EXPECT_EQ(bits_below(0x80000001u, bit_of(31)), 1);
  EXPECT_EQ(word_of(std::int64_t(5) << 40), std::int64_t(5) << 35);
}

/// A table on the host.
template <class Index, class L>
struct OwnTable {
  using index_type = Index;
  std::vector<CompressedColumns<Index>> words;
  ColumnTable<Index, L> table;

  explicit OwnTable(std::size_t capacity) : words(capacity) {
    table = {words.data(), static_cast<int>(capacity)};
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
class WordTableOf : public testing::Test {};
using Tables =
    TestTypes<OwnTable<int, OneThread>, OwnTable<int, ScalarLane>, OwnTable<std::int64_t, ScalarLane>>;
TYPED_TEST_SUITE(WordTableOf, Tables);

TYPED_TEST(WordTableOf, KeepsCollidingKeysApartAcrossTheEnd) {
  TypeParam own(16);
  auto const keys = colliding(own.table, 14, 6);  // slots 14, 15, 0, 1, 2, 3
  for (auto const key : keys) ASSERT_NE(own.table.insert(key, 1), own.table.none);

  std::set<int> slots;
  for (auto const key : keys) {
    slots.insert(own.table.find(key));
    EXPECT_EQ(own.table.words[own.table.find(key)].key, key);
  }

  EXPECT_EQ(slots, (std::set<int>{14, 15, 0, 1, 2, 3}));
  EXPECT_EQ(own.table.find(colliding(own.table, 14, 7).back()), own.table.none);
}

TYPED_TEST(WordTableOf, TakesAsManyKeysAsItHasSlotsAndNoMore) {
  TypeParam own(32);
  using Index = typename TypeParam::index_type;
  for (Index key = 0; key < 32; ++key) EXPECT_NE(own.table.insert(7 * key, 1), own.table.none);

  EXPECT_EQ(own.table.insert(Index(1000003), 1), own.table.none);
  EXPECT_EQ(own.table.find(Index(1000003)), own.table.none);
  for (Index key = 0; key < 32; ++key) {
    int const slot = own.table.insert(7 * key, 2);  // still there when the table is full
    ASSERT_NE(slot, own.table.none);
    EXPECT_EQ(own.table.words[slot].mask, 3u);
  }
}

TYPED_TEST(WordTableOf, UnitesTheBitsOfAKey) {
  TypeParam own(4);
  own.table.insert(9, 0x1u);
  own.table.insert(9, 0x80000000u);
  own.table.insert(2, 0x6u);

  EXPECT_EQ(own.table.words[own.table.find(9)].mask, 0x80000001u);
  EXPECT_EQ(own.table.words[own.table.find(2)].mask, 0x6u);
}

TEST(ColumnTable, ReachesEverySlotFromKeysThatArePowersOfTwoApart) {
  for (int const step : {1, 32, 1024, 65536}) {
    OwnTable<int, OneThread> own(64);
    std::set<int> homes;
    for (int i = 0; i < 1024; ++i) homes.insert(own.table.home(i * step));
    EXPECT_GT(homes.size(), 32u) << "step " << step;
  }
}

/// Words with one index and with many, whose searches begin in the last slots.
TEST(RankTable, TellsWhereAnIndexStands) {
  constexpr int capacity = 16;
  std::vector<int> list;
  int crowded = 0;
  for (int key = 0; crowded < 5; ++key) {
    if (home_of_word(key, capacity) < capacity - 2) continue;
    for (int bit = 0; bit <= 7 * crowded; ++bit) list.push_back(32 * key + bit);
    ++crowded;
  }
  std::vector<int> keys(capacity);
  std::vector<RankedColumns> words(capacity);
  RankTable<int, OneThread> const table{keys.data(), words.data(), capacity};
  for (int slot = 0; slot < capacity; ++slot) table.clear(slot);
  auto const size = static_cast<int>(list.size());
  for (int place = size; place-- > 0;) table.insert(list.data(), place);

  for (int place = 0; place < size; ++place) {
    EXPECT_EQ(table.place_of(list[static_cast<std::size_t>(place)]), place);
    EXPECT_EQ(table.find(list[static_cast<std::size_t>(place)]), place);
  }
  EXPECT_EQ(table.find(list.back() + 1), table.none);  // its word is there
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

/// Every thread inserts each key, one bit a thread: what is in the table is the same whoever comes first.
TEST(ColumnTable, TakesInsertionsFromAllThreadsAtOnce) {
  constexpr int capacity = 256, num_keys = 200, bits = 32;
  Kokkos::View<CompressedColumns<int>*, Device> const words("words", capacity);
  SharedTable const table{words.data(), capacity};
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(0, capacity), ClearSlot{table});

  Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(0, num_keys * bits), InsertBit{table});

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), words);
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
