// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/bins.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// How the values of C are shared out. Kept by a plan: 4 or 8 bytes a row where rows are of several kinds.
template <class Ordinal, class Device>
struct SumsSchedule {
  Bins<6, Ordinal, Device> bins;
  Kokkos::View<std::uint32_t*, Device> piece_offsets;  // of the last bin
  std::int64_t num_pieces = 0;

  [[nodiscard]] std::size_t bytes() const {
    return bins.items.extent(0) * sizeof(Ordinal) + piece_offsets.extent(0) * sizeof(std::uint32_t);
  }
};

}  // namespace einkorn::detail
