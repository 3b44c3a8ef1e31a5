// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/bins.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Rows of C by numeric bin. Kept by a plan: one Ordinal per row if there is more than one bin.
template <class Ordinal, class Device>
struct NumericSchedule {
  Bins<SpgemmTuning::num_numeric_bins, Ordinal, Device> bins;
  Kokkos::View<std::uint32_t*, Device> chunk_offsets;  // of the last bin
  std::int64_t num_chunks = 0;

  [[nodiscard]] std::size_t bytes() const {
    return bins.items.extent(0) * sizeof(Ordinal) + chunk_offsets.extent(0) * sizeof(std::uint32_t);
  }
};

/// A rank in a row of C, and which of the 32 entries of the step is added there.
struct RankOfSlot {
  static constexpr int rank_bits = 10, max_ranks = 1 << rank_bits, max_lanes = 32;
  static constexpr std::uint16_t none = 0xffff;
  static_assert(max_lanes << rank_bits < none);

  KOKKOS_FORCEINLINE_FUNCTION static std::uint16_t of(int rank, int entry) {
    return static_cast<std::uint16_t>(rank | entry << rank_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int rank(std::uint16_t slot) { return slot & (max_ranks - 1); }
  KOKKOS_FORCEINLINE_FUNCTION static int entry(std::uint16_t slot) { return slot >> rank_bits; }
};

/// The rank in the row of C of every product, once per row class (detail/product_row_classes.hpp). A class has
/// one segment of products per entry of A's row, and one slot per product.
template <class Ordinal, class Device>
struct ScatterMap {
  Kokkos::View<Ordinal*, Device> class_of_row;         // [rows of C]; empty: no map
  Kokkos::View<std::uint64_t*, Device> first_segment;  // [classes + 1]
  Kokkos::View<std::uint64_t*, Device> first_slot;     // [segments + 1]
  Kokkos::View<std::uint16_t*, Device> ranks;          // [slots]; if is_swizzled: RankOfSlot
  int max_row_length = 0;                              // of C
  /// Segments are padded to steps of 32 slots, ordered without bank conflicts (SwizzleBanks).
  bool is_swizzled = false;
  static constexpr int swizzle_lanes = 32;

  [[nodiscard]] bool is_available() const { return class_of_row.extent(0) > 0; }
  /// Without class_of_row.
  [[nodiscard]] std::size_t bytes() const {
    return (first_segment.extent(0) + first_slot.extent(0)) * sizeof(std::uint64_t) +
           ranks.extent(0) * sizeof(std::uint16_t);
  }
};

}  // namespace einkorn::detail
