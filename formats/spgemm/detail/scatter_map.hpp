// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// counts(segment) <- its slots. A segment is an entry of F, the matrix of representatives: a row of B.
/// step_slots: 1, or 32 if swizzled: then every segment has at least one step, so that the slots of consecutive
/// short segments are 32 apart.
template <class FMatrix, class BMatrix, class Counts>
struct CountSlotsOfSegment {
  FMatrix F;
  BMatrix B;
  Counts counts;
  std::uint64_t step_slots;
  KOKKOS_FUNCTION void operator()(std::size_t segment) const {
    auto const j = F.columns(segment);
    auto const products = static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j));
    auto const steps = ceil_div(products, step_slots);
    counts(segment) = (step_slots > 1 && steps == 0 ? 1 : steps) * step_slots;
  }
};

/// The rank in the row of C of each product's column, in the order of B's entries.
template <class FMatrix, class BMatrix, class Map, class List, class Offsets, class Columns>
struct FindRanks {
  FMatrix F;
  BMatrix B;
  Map map;
  List representatives;
  Offsets offsets;  // of C
  Columns columns;

  KOKKOS_FUNCTION void operator()(std::size_t slot) const {
    auto const segment = row_of_entry(map.first_slot, static_cast<std::int64_t>(F.columns.extent(0)),
                                      static_cast<std::uint64_t>(slot));
    auto const class_id = row_of_entry(map.first_segment, static_cast<std::int64_t>(F.num_rows),
                                       static_cast<std::uint64_t>(segment));
    auto const j = F.columns(segment), row = representatives(class_id);
    auto const own = slot - map.first_slot(segment), entry = static_cast<std::size_t>(B.row_begin(j)) + own;
    if (entry >= static_cast<std::size_t>(B.row_end(j))) {
      map.ranks(slot) = RankOfSlot::none;
      return;
    }
    auto const begin = static_cast<std::uint64_t>(offsets(row)),
               end = static_cast<std::uint64_t>(offsets(row + 1));
    auto const rank = lower_bound_index(columns, begin, end, B.columns(entry)) - begin;
    map.ranks(slot) = static_cast<std::uint16_t>(rank);
  }
};

/// Orders the entries of every step of 32 lanes, which access 16 bytes of scratch each, 8 lanes at a time: lane
/// l gets a rank equal to l modulo 8 as long as there is one, so that these 8 lanes access different banks.
/// Values of B are loaded 16 at a time, so entries at distance 16 stay in different halves.
template <class Map>
struct SwizzleBanks {
  static constexpr int lanes = Map::swizzle_lanes, half = 16, num_banks = 8;

  Map map;

  struct Step {
    std::uint16_t ranks[lanes];
    int size = 0;
    std::uint32_t upper_half = 0;  // bit e: entry e is in the second half
    std::uint64_t counts = 0;      // 4 bits per half and bank; 16 of one overflow, which affects speed only

    KOKKOS_FORCEINLINE_FUNCTION int bank(int e) const { return ranks[e] % num_banks; }
    KOKKOS_FORCEINLINE_FUNCTION int count_shift(int e) const {
      return 4 * (bank(e) + num_banks * static_cast<int>(upper_half >> e & 1));
    }
    /// Moves entry e to the other half, and the entry at distance 16 the opposite way.
    KOKKOS_FORCEINLINE_FUNCTION void swap(int e) {
      for (; e < size; e += half) {
        counts -= std::uint64_t(1) << count_shift(e);
        upper_half ^= std::uint32_t(1) << e;
        counts += std::uint64_t(1) << count_shift(e);
      }
    }
    /// Entries that exceed the two slots per half and bank.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int conflicts() const {
      int sum = 0;
      for (int bit = 0; bit < 64; bit += 4) {
        int const count = static_cast<int>(counts >> bit & 15);
        sum += count > 2 ? count - 2 : 0;
      }
      return sum;
    }
  };

  KOKKOS_FUNCTION void operator()(std::size_t number) const {
    auto* const slots = map.ranks.data() + number * lanes;
    Step step;
    for (; step.size < lanes && slots[step.size] != RankOfSlot::none; ++step.size)
      step.ranks[step.size] = slots[step.size];
    for (int e = 0; e < step.size; ++e) {
      step.upper_half |= static_cast<std::uint32_t>(e / half) << e;
      step.counts += std::uint64_t(1) << step.count_shift(e);
    }
    int conflicts = step.conflicts();
    for (int trial = 0; trial < 4 * half && conflicts > 0; ++trial) {
      int const e = trial % half, allowed = conflicts - (trial / half % 2 == 0 ? 1 : 0);
      step.swap(e);
      int const now = step.conflicts();
      if (now <= allowed)
        conflicts = now;
      else
        step.swap(e);
    }
    std::uint32_t used = 0, unplaced = 0;
    auto const put = [&](int e, int slot) {
      slots[slot] = RankOfSlot::of(step.ranks[e], e);
      used |= std::uint32_t(1) << slot;
    };
    for (int e = 0; e < step.size; ++e) {
      int slot = half * static_cast<int>(step.upper_half >> e & 1) + step.bank(e);
      if ((used >> slot & 1) != 0) slot += num_banks;
      if ((used >> slot & 1) != 0)
        unplaced |= std::uint32_t(1) << e;
      else
        put(e, slot);
    }
    for (int e = 0; e < step.size; ++e) {
      if ((unplaced >> e & 1) == 0) continue;
      int slot = half * static_cast<int>(step.upper_half >> e & 1);
      while ((used >> slot & 1) != 0) ++slot;
      put(e, slot);
    }
    for (int slot = 0; slot < lanes; ++slot)
      if ((used >> slot & 1) == 0) slots[slot] = RankOfSlot::none;
  }
};

/// The longest row of C among the representatives.
template <class List, class Offsets>
struct MaxRowLength {
  List representatives;
  Offsets offsets;
  KOKKOS_FUNCTION void operator()(std::size_t class_id, std::uint64_t& max_length) const {
    auto const row = representatives(class_id);
    auto const length = static_cast<std::uint64_t>(offsets(row + 1)) - static_cast<std::uint64_t>(offsets(row));
    if (length > max_length) max_length = length;
  }
};

/// The ranks of all products, per row class. No map if choose_scatter_map() decides so or it exceeds `limit`
/// bytes. classes: RowClassesOfC. C's columns must have been written, its rows sorted. At most 5 launches and a
/// scan; fences exec.
template <class Scalar, class Exec, class RowClasses, class BMatrix, class Offsets, class Columns>
auto make_scatter_map(Exec const& exec, RowClasses const& classes, BMatrix const& B, Offsets const& offsets,
                      Columns const& columns, SpgemmRows rows, int segment_lanes, std::size_t limit) {
  using AMatrix = decltype(classes.F);
  using List = decltype(classes.representatives);
  using Map = ScatterMap<typename AMatrix::ordinal_type, typename AMatrix::device_type>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  static_assert(tuning.max_scatter_row_length <= RankOfSlot::max_ranks);
  if (rows != SpgemmRows::sorted) return Map();
  auto const& F = classes.F;
  std::size_t const segments = F.columns.extent(0);
  std::uint64_t max_length = 0;
  range_reduce<std::size_t>("einkorn::spgemm[max row length]", exec, classes.representatives.extent(0),
                            MaxRowLength<List, Offsets>{classes.representatives, offsets},
                            Kokkos::Max<std::uint64_t>(max_length));
  auto const choice =
      choose_scatter_map(tuning, rows, max_length, segment_lanes, static_cast<int>(sizeof(Scalar)));
  if (!choice.is_used) return Map();
  Map map;
  map.max_row_length = static_cast<int>(max_length);
  map.is_swizzled = choice.is_swizzled;
  auto const list = [&](std::size_t size) {
    return allocate<decltype(map.first_slot)>(exec, "einkorn::spgemm::segment_offsets", size);
  };
  if ((F.row_offsets.extent(0) + segments + 1) * sizeof(std::uint64_t) > limit) return Map();
  map.first_segment = list(F.row_offsets.extent(0));
  Kokkos::deep_copy(exec, map.first_segment, F.row_offsets);
  map.first_slot = list(segments + 1);
  range_for<std::size_t>(
      "einkorn::spgemm[segment slots]", exec, segments,
      CountSlotsOfSegment<AMatrix, BMatrix, decltype(map.first_slot)>{
          F, B, map.first_slot, static_cast<std::uint64_t>(map.is_swizzled ? Map::swizzle_lanes : 1)});
  auto const slots = static_cast<std::size_t>(counts_to_offsets(exec, map.first_slot));
  if (map.bytes() + slots * sizeof(std::uint16_t) > limit) return Map();
  map.ranks = allocate<decltype(map.ranks)>(exec, "einkorn::spgemm::scatter_map", slots);
  using Find = FindRanks<AMatrix, BMatrix, Map, List, Offsets, Columns>;
  range_for<std::size_t>("einkorn::spgemm[scatter map]", exec, slots,
                         Find{F, B, map, classes.representatives, offsets, columns});
  if (map.is_swizzled)
    range_for<std::size_t>("einkorn::spgemm[swizzle]", exec, slots / Map::swizzle_lanes,
                           SwizzleBanks<Map>{map});
  exec.fence("einkorn::spgemm: the representatives are freed");
  map.class_of_row = classes.class_of_row;
  return map;
}

}  // namespace einkorn::detail
