// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace einkorn {

/// Checks the invariants of Bsr that spmv() and to_csr() require, for arrays filled by the caller. Values are
/// not read.
/// @throws InvalidStructure with the first invalid block row or block and its value
/// @throws OverflowError if Offset cannot count the values
/// Cost: on the device; reads row_offsets and columns once, copies a few numbers to the host, fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Bsr<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Bsr: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  require<InvalidStructure>(
      F.block_size >= 1, [&] { return "Bsr: block_size is " + text(F.block_size) + ", expected at least 1"; });
  auto const b = static_cast<std::size_t>(F.block_size);
  auto const require_blocks = [&](Ordinal given, Ordinal entries, char const* name) {
    auto const expected = ceil_div(static_cast<std::size_t>(entries), b);
    require<InvalidStructure>(given >= 0 && static_cast<std::size_t>(given) == expected, [&] {
      return std::string("Bsr: ") + name + " is " + text(given) + ", expected " + text(expected) + ": " +
             text(entries) + " by blocks of " + text(b);
    });
  };
  require_blocks(F.num_block_rows, F.num_rows, "num_block_rows");
  require_blocks(F.num_block_cols, F.num_cols, "num_block_cols");
  auto const blocks = F.columns.extent(0);
  require<InvalidStructure>(F.values.extent(0) == blocks * b * b, [&] {
    return "Bsr: values has " + text(F.values.extent(0)) + " entries, expected " + text(blocks * b * b) + ": " +
           text(blocks) + " blocks of " + text(b * b);
  });
  require<OverflowError>(
      F.values.extent(0) <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()), [&] {
        return "Bsr: " + text(F.values.extent(0)) + " values do not fit Offset; int64_t or size_t would do";
      });
  auto const rows = static_cast<std::size_t>(F.num_block_rows);
  if (rows == 0 && F.row_offsets.extent(0) == 0) {
    require<InvalidStructure>(blocks == 0, "Bsr: blocks, but no block rows");
    return;
  }
  require<InvalidStructure>(F.row_offsets.extent(0) == rows + 1, [&] {
    return "Bsr: row_offsets has extent " + text(F.row_offsets.extent(0)) +
           ", expected num_block_rows + 1 = " + text(rows + 1);
  });
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  auto const first = detail::read_one(F.row_offsets, 0);
  require<InvalidStructure>(first == 0,
                            [&] { return "Bsr: row_offsets(0) is " + text(first) + ", expected 0"; });
  auto const last = detail::read_one(F.row_offsets, rows);
  require<InvalidStructure>(last == F.num_blocks(), [&] {
    return "Bsr: row_offsets(" + text(rows) + ") is " + text(last) + ", expected " + text(blocks) + " blocks";
  });
  using Decreases = detail::Decreases<decltype(F.row_offsets)>;
  auto const row =
      detail::first_bad(exec, "einkorn::validate[bsr,rows]", F.num_block_rows, Decreases{F.row_offsets});
  require<InvalidStructure>(row == F.num_block_rows, [&] {
    auto const i = static_cast<std::size_t>(row);
    return "Bsr: row_offsets decreases after block row " + text(row) + ": " +
           text(detail::read_one(F.row_offsets, i)) + " to " + text(detail::read_one(F.row_offsets, i + 1));
  });
  using OutOfRange = detail::OutOfRange<decltype(F.columns), Ordinal>;
  auto const block = detail::first_bad(exec, "einkorn::validate[bsr,columns]", F.num_blocks(),
                                       OutOfRange{F.columns, F.num_block_cols});
  require<InvalidStructure>(block == F.num_blocks(), [&] {
    return "Bsr: block " + text(block) + " has block column " +
           text(detail::read_one(F.columns, static_cast<std::size_t>(block))) + ", expected 0 .. " +
           text(F.num_block_cols) + " - 1";
  });
}

}  // namespace einkorn
