// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/bins.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// How the values of C are shared out. Kept by a plan: 4 or 8 bytes a row where rows are of several kinds.
template <class Ordinal, class Device>
struct SumsSchedule {
  Bins<SpgemmTuning::sums_bins, Ordinal, Device> bins;
  Kokkos::View<std::uint32_t*, Device> piece_offsets;  // of the last bin
  std::int64_t num_pieces = 0;

  [[nodiscard]] std::size_t bytes() const {
    return bins.items.extent(0) * sizeof(Ordinal) + piece_offsets.extent(0) * sizeof(std::uint32_t);
  }
};

/// A place in a row of C, and which of the entries of its step is added there.
struct RankOfSlot {
  static constexpr int place_bits = 10, max_ranks = 1 << place_bits, max_lanes = 32;
  static constexpr std::uint16_t none = 0xffff;
  static_assert(max_lanes << place_bits < none);

  KOKKOS_FORCEINLINE_FUNCTION static std::uint16_t of(int place, int entry) {
    return static_cast<std::uint16_t>(place | entry << place_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int place(std::uint16_t slot) { return slot & (max_ranks - 1); }
  KOKKOS_FORCEINLINE_FUNCTION static int entry(std::uint16_t slot) { return slot >> place_bits; }
};

/// Where in a row of C each product is added, for every kind of rows (detail/row_kinds.hpp): a kind has a run
/// of products for each entry of A's row.
template <class Ordinal, class Device>
struct ScatterMap {
  Kokkos::View<Ordinal*, Device> kinds;         // [rows of C]; empty: not known
  Kokkos::View<std::uint64_t*, Device> runs;    // [kinds + 1]: the first run of a kind
  Kokkos::View<std::uint64_t*, Device> starts;  // [runs + 1]: the first slot of a run
  Kokkos::View<std::uint16_t*, Device> places;  // [slots of all kinds]; is_swizzled: RankOfSlot
  int longest = 0;                              // row of C
  /// Runs come in steps of that many slots, ordered so that lanes go to different banks (SwizzleBanks).
  bool is_swizzled = false;
  static constexpr int lanes_apart = 32;

  [[nodiscard]] bool known() const { return kinds.extent(0) > 0; }
  [[nodiscard]] std::size_t bytes_beside_kinds() const {
    return (runs.extent(0) + starts.extent(0)) * sizeof(std::uint64_t) +
           places.extent(0) * sizeof(std::uint16_t);
  }
};

}  // namespace einkorn::detail
