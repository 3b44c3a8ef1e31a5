// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/traffic.hpp"

#include <einkorn/formats/csr5/csr5.hpp>

#include <cstddef>

namespace einkorn::perf {

template <class Format>
Csr5Counts counts_of_tiles(Format const& F) {
  Csr5Counts counts;
  counts.tiles = static_cast<std::size_t>(F.num_tiles);
  counts.lanes = static_cast<std::size_t>(F.shape.lanes);
  counts.words = static_cast<std::size_t>(F.shape.words());
  counts.empty_begin = F.empty_begin.extent(0);
  counts.empty_offsets = F.empty_offsets.extent(0);
  counts.empty_rows = F.empty_rows.extent(0);
  if (F.tail_begin() < F.nnz()) counts.tail_rows = static_cast<std::size_t>(F.num_rows - F.tail_row);
  return counts;
}

/// The bytes that 16-bit column codes save.
template <class Format>
std::size_t bytes_saved_by_codes(Format const& F) {
  return static_cast<std::size_t>(F.coded_entries()) * sizeof(typename Format::ordinal_type) -
         F.compressed.bytes();
}

}  // namespace einkorn::perf
