// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/column_blocks/detail/build_chunks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// code_offsets(row) <- the number of codes of the rows before: a code per partial sum, one for a row without any.
template <class Offsets>
struct CountCodes {
  using Offset = typename Offsets::non_const_value_type;
  Offsets row_sums, code_offsets;
  std::size_t num_rows;
  KOKKOS_FUNCTION void operator()(std::size_t row, Offset& before, bool is_final) const {
    if (is_final) code_offsets(row) = before;
    if (row == num_rows) return;
    Offset const count = row_sums(row + 1) - row_sums(row);
    before += count > 0 ? count : Offset(1);
  }
};

template <class Offsets>
struct LongestPart {
  using Offset = typename Offsets::non_const_value_type;
  Offsets offsets;
  KOKKOS_FUNCTION void operator()(std::size_t i, Offset& longest) const {
    Offset const size = offsets(i + 1) - offsets(i);
    if (size > longest) longest = size;
  }
};

/// Bin b begins at the first row whose codes begin at b * bin_size or later.
template <class Format, class Offsets>
struct DivideRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Format F;
  Offsets code_offsets, bin_codes;  // bin_codes [num_bins + 1]: first code of each bin
  Offset bin_size;
  std::size_t num_bins;
  KOKKOS_FUNCTION void operator()(std::size_t bin) const {
    Ordinal const row = bin == num_bins ? F.num_rows
                                        : lower_bound_index(code_offsets, Ordinal(0), F.num_rows,
                                                            static_cast<Offset>(bin) * bin_size);
    F.bin_rows(bin) = row;
    bin_codes(bin) = code_offsets(row);
  }
};

/// bin_sums: the first partial sum of each block that belongs to a bin or a later one.
template <class Format>
struct FindBinSums {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Format F;
  Kokkos::View<Ordinal*, typename Format::device_type> sum_rows;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const blocks = static_cast<std::size_t>(F.num_blocks());
    std::size_t const bin = i / blocks, block = i % blocks;
    Offset const begin = F.chunk_sums(F.block_chunks(block)), end = F.chunk_sums(F.block_chunks(block + 1));
    F.bin_sums(i) = lower_bound_index(sum_rows, begin, end, F.bin_rows(bin));
  }
};

template <class Format>
struct FindBinSlots {
  using Offset = typename Format::offset_type;
  using Code = typename Format::Code;
  Format F;
  KOKKOS_FUNCTION void operator()(std::size_t bin) const {
    auto const blocks = static_cast<std::size_t>(F.num_blocks());
    Offset slot = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      F.bin_slots(bin * (blocks + 1) + block) = static_cast<Code>(slot);
      slot += F.bin_sums((bin + 1) * blocks + block) - F.bin_sums(bin * blocks + block);
    }
    F.bin_slots(bin * (blocks + 1) + blocks) = static_cast<Code>(slot);
  }
};

/// The codes of a row, and the rows of the chunks that begin in it.
template <class Format, class Offsets>
struct FillSumCodes {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Code = typename Format::Code;
  Format F;
  Offsets row_sums, sums_of_rows, code_offsets, bin_codes;
  std::size_t num_bins;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    auto const bin = static_cast<std::size_t>(row_of_entry(F.bin_rows, std::size_t(0), num_bins, row));
    auto const blocks = static_cast<std::size_t>(F.num_blocks());
    auto const entries = static_cast<Offset>(F.shape.entries);
    Offset const first = F.bin_chunks(bin) * entries + code_offsets(row) - bin_codes(bin);
    Offset const begin = row_sums(row), count = row_sums(row + 1) - begin;
    Offset const num_codes = count > 0 ? count : Offset(1);
    std::size_t block = 0;
    for (Offset i = 0; i < num_codes; ++i) {
      unsigned code = static_cast<unsigned>(F.shape.slots);
      if (count > 0) {
        Offset const sum = sums_of_rows(begin + i);
        block = partition_point_index(
            block, blocks - 1, [&](std::size_t b) { return F.chunk_sums(F.block_chunks(b + 1)) <= sum; });
        code = static_cast<unsigned>(F.bin_slots(bin * (blocks + 1) + block)) +
               static_cast<unsigned>(sum - F.bin_sums(bin * blocks + block));
      }
      F.sum_codes(first + i) = static_cast<Code>(code | (i + 1 == num_codes ? ChunkCode::end_flag : 0u));
      if ((first + i) % entries == 0) F.sum_rows((first + i) / entries) = row;
    }
  }
};

/// Bins and codes: the arrays of the second pass.
/// @param sum_rows the row of each partial sum
/// @throws FillLimit if the partial sums of a row do not fit a bin
template <ColumnBlocksTuning tuning, class Exec, class Format, class Rows>
void build_bins(Exec const& exec, Format& F, Rows const& sum_rows) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;
  using Offsets = Kokkos::View<Offset*, Device>;
  using Code = typename Format::Code;
  constexpr char const* label = "einkorn::from_csr[column_blocks]";
  auto const rows = static_cast<std::size_t>(F.num_rows), blocks = static_cast<std::size_t>(F.num_blocks());
  auto const by_row = list_buckets(exec, sum_rows, static_cast<Offset>(sum_rows.extent(0)), F.num_rows);
  auto const code_offsets = allocate<Offsets>(exec, "einkorn::from_csr[column_blocks]::code_offsets", rows + 1);
  Offset num_codes = 0, longest = 0;
  range_scan<std::size_t>(label, exec, rows + 1, CountCodes<Offsets>{by_row.offsets, code_offsets, rows},
                          num_codes);
  range_reduce<std::size_t>(label, exec, rows, LongestPart<Offsets>{code_offsets},
                            Kokkos::Max<Offset>(longest));
  auto const slots = static_cast<Offset>(F.shape.slots), max_sums = static_cast<Offset>(F.shape.max_row_sums());
  require<FillLimit>(longest <= max_sums, [&] {
    return detail::joined("from_csr: a row has ", longest, " partial sums in column blocks of ",
                          F.shape.columns, ", at most ", max_sums,
                          " fit in team scratch; CSR5 has no such limit");
  });
  auto const max_size = slots - longest, min_size = std::min<Offset>(1024, max_size);
  auto const resident = static_cast<Offset>(resident_teams(exec, tuning.sum_teams_per_sm));
  Offset const waves = ceil_div(num_codes, max_size * resident);  // as few as possible, of equal bins
  Offset const bin_size = std::clamp(ceil_div(num_codes, waves * resident), min_size, max_size);
  auto const num_bins = static_cast<std::size_t>(ceil_div(num_codes, bin_size));
  F.bin_rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::ColumnBlocks::bin_rows", num_bins + 1);
  auto const bin_codes = allocate<Offsets>(exec, "einkorn::from_csr[column_blocks]::bin_codes", num_bins + 1);
  range_for<std::size_t>(label, exec, num_bins + 1,
                         DivideRows<Format, Offsets>{F, code_offsets, bin_codes, bin_size, num_bins});
  Offset num_chunks = 0;
  F.bin_chunks = units_of_parts(exec, "einkorn::ColumnBlocks::bin_chunks", bin_codes,
                                static_cast<Offset>(F.shape.entries), num_chunks);
  F.bin_sums = allocate<Offsets>(exec, "einkorn::ColumnBlocks::bin_sums", (num_bins + 1) * blocks);
  range_for<std::size_t>(label, exec, (num_bins + 1) * blocks, FindBinSums<Format>{F, sum_rows});
  F.bin_slots =
      allocate<Kokkos::View<Code*, Device>>(exec, "einkorn::ColumnBlocks::bin_slots", num_bins * (blocks + 1));
  range_for<std::size_t>(label, exec, num_bins, FindBinSlots<Format>{F});
  auto const chunks = static_cast<std::size_t>(num_chunks);
  F.sum_codes = allocate<Kokkos::View<Code*, Device>>(exec, "einkorn::ColumnBlocks::sum_codes",
                                                      chunks * static_cast<std::size_t>(F.shape.entries));
  fill_vector(exec, F.sum_codes, static_cast<Code>(F.shape.slots));
  F.sum_rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::ColumnBlocks::sum_rows", chunks);
  range_for<Ordinal>(
      label, exec, F.num_rows,
      FillSumCodes<Format, Offsets>{F, by_row.offsets, by_row.items, code_offsets, bin_codes, num_bins});
}

/// All arrays but row_offsets. @pre shape, num_rows and num_cols are set, and A has entries.
template <ColumnBlocksTuning tuning, class Exec, class Format, class Matrix>
void build_column_blocks(Exec const& exec, Format& F, Matrix const& A) {
  auto const sum_rows = build_chunks<tuning>(exec, F, A);
  build_bins<tuning>(exec, F, sum_rows);
}

}  // namespace einkorn::detail
