// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Quotients index / block size without a division, which takes about 20 instructions: a product and a shift, exact for 31-bit
/// indices; larger ones are divided (Granlund and Montgomery, PLDI 1994).
template <class Ordinal>
class BlockColumnOf {
 public:
  /// @param block_size 1 .. 64
  explicit BlockColumnOf(int block_size) : block_size_(static_cast<Ordinal>(block_size)) {
    while ((1 << (shift_ - 31)) < block_size) ++shift_;
    auto const size = static_cast<std::uint64_t>(block_size);
    factor_ = ((std::uint64_t(1) << shift_) + size - 1) / size;  // at most 2^32
  }

  /// @param index >= 0
  KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(Ordinal index) const {
    auto const i = static_cast<std::uint64_t>(index);
    if (sizeof(Ordinal) > 4 && i >> 31 != 0) return index / block_size_;
    return static_cast<Ordinal>((i * factor_) >> shift_);
  }

 private:
  Ordinal block_size_;
  int shift_ = 31;
  std::uint64_t factor_;
};

}  // namespace einkorn::detail
