// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// ceil(log2(count)): the bits of an index below count.
KOKKOS_FORCEINLINE_FUNCTION constexpr int bits_for(int count) {
  int bits = 0;
  while ((1 << bits) < count) ++bits;
  return bits;
}

/// The parameters of CSR5, omega = lanes (2 .. 64) and sigma = entries per lane (1 .. 32), and the layout of
/// the descriptor of a lane.
///
/// A descriptor has, from the lowest bit up: y_offset, the number of starts in previous lanes (bits_for(lanes
/// sigma) bits); seg_offset, the number of consecutive lanes immediately to the right without a start, 0 if the
/// lane itself has none (bits_for(lanes) bits); bit_flag (bit j: entry j starts a row; the first entry of a
/// tile always counts). It has words() 32-bit words; word w of lane i of tile t is tile_descriptors((t words()
/// + w) lanes + i).
struct Csr5Shape {
  int lanes = 0, sigma = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int y_bits() const { return bits_for(lanes * sigma); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int segment_bits() const { return bits_for(lanes); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr int words() const {
    return ceil_div(y_bits() + segment_bits() + sigma, 32);
  }
  friend constexpr bool operator==(Csr5Shape const&, Csr5Shape const&) = default;
};

/// The unpacked descriptor of a lane.
struct Csr5Lane {
  std::uint32_t starts = 0;  ///< bit_flag
  int y_offset = 0, seg_offset = 0;
};

KOKKOS_FORCEINLINE_FUNCTION std::uint64_t pack(Csr5Shape const& shape, Csr5Lane const& lane) {
  return static_cast<std::uint64_t>(lane.y_offset) |
         static_cast<std::uint64_t>(lane.seg_offset) << shape.y_bits() |
         static_cast<std::uint64_t>(lane.starts) << (shape.y_bits() + shape.segment_bits());
}

/// @param y_bits, segment_bits of the shape, which kernels compute once
KOKKOS_FORCEINLINE_FUNCTION Csr5Lane unpack(std::uint64_t packed, int y_bits, int segment_bits) {
  Csr5Lane lane;
  lane.y_offset = static_cast<int>(packed & ((std::uint64_t(1) << y_bits) - 1));
  lane.seg_offset = static_cast<int>((packed >> y_bits) & ((std::uint64_t(1) << segment_bits) - 1));
  lane.starts = static_cast<std::uint32_t>(packed >> (y_bits + segment_bits));
  return lane;
}

/// Reads the descriptor of one lane: one word or two (lanes <= 64 and sigma <= 32 need at most 49 bits).
template <class Descriptors, class Offset>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t packed_descriptor(Descriptors const& descriptors,
                                                            Csr5Shape const& shape, int words, Offset tile,
                                                            int lane) {
  auto const at = (static_cast<std::size_t>(tile) * static_cast<std::size_t>(words)) *
                      static_cast<std::size_t>(shape.lanes) +
                  static_cast<std::size_t>(lane);
  std::uint64_t packed = descriptors(at);
  if (words > 1)
    packed |= static_cast<std::uint64_t>(descriptors(at + static_cast<std::size_t>(shape.lanes))) << 32;
  return packed;
}

}  // namespace einkorn
