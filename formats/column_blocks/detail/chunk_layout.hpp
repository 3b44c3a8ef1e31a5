// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/column_blocks/column_blocks_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The order of the entries in a chunk of `entries`: entry e belongs to a lane and a step of the warp.
///
/// Few sums: lane l has entries l steps .. (l + 1) steps - 1, adds them in sequence, and one scan over the lanes completes
/// the chunk. Many sums: step j has entries j lanes .. (j + 1) lanes - 1, with a scan per step, so that the lanes write
/// adjacent sums.
struct ChunkLayout {
  int lanes, steps;
  bool few_sums;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lane(int e) const { return few_sums ? e / steps : e % lanes; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int step(int e) const { return few_sums ? e % steps : e / lanes; }
  /// The index of the code of entry e in its chunk; a lane loads its codes at once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int code(int e) const { return lane(e) * steps + step(e); }
  /// The index of the value; the lanes load adjacent values.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int value(int e) const { return step(e) * lanes + lane(e); }
};

/// The codes of a lane in registers. steps: a multiple of 8
template <int steps>
struct LaneCodes {
  static_assert(steps % 8 == 0);
  struct alignas(16) Words {
    std::uint32_t word[4];
  };

  Words words[steps / 8];

  /// @param codes aligned to 16 bytes
  KOKKOS_FORCEINLINE_FUNCTION void load(std::uint16_t const* codes) {
    for (int i = 0; i < steps / 8; ++i) words[i] = reinterpret_cast<Words const*>(codes)[i];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned index(int j) const {
    return words[j / 8].word[j % 8 / 2] >> (16 * (j % 2)) & ChunkCode::index_mask;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool ends(int j) const {
    return (words[j / 8].word[j % 8 / 2] >> (16 * (j % 2)) & ChunkCode::end_flag) != 0;
  }
};

template <>
struct LaneCodes<0> {};

}  // namespace einkorn::detail
