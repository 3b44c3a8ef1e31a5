// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/formats/column_blocks/column_blocks_tuning.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// A matrix cut into blocks of columns, for matrices whose accesses to x are irregular and miss the caches.
///
/// y = A x takes two passes. The first computes, block by block, the partial sum of each row with entries in the block,
/// with the part of x in team scratch. The second adds the partial sums of each row, those of a bin of rows in team
/// scratch. No pass reads single entries of x or of the partial sums from memory. Source: propagation blocking (Beamer,
/// Asanovic & Patterson, IPDPS 2017). Departures: the products of a row in a block are added before they are stored; a
/// bin is added in the order of the columns, without atomics.
///
/// First pass: the entries of block b are ordered by row and divided into the chunks block_chunks(b) ..
/// block_chunks(b + 1) - 1 of shape.entries. A code is a column within the block, with the end flag if the entry is the last
/// of its row in the block or of the chunk. The entries of a row between two flags have one partial sum; chunk c has the
/// sums chunk_sums(c) .. chunk_sums(c + 1) - 1. Entry j of lane l has code c entries + l (entries / lanes) + j and value
/// c entries + j lanes + l; lanes and j are ordered by lane in chunks of few sums (detail/chunk_layout.hpp), otherwise by
/// j. Padding follows the last flag of a chunk. item_chunks: the chunks of a team.
///
/// Second pass: bin r has the rows bin_rows(r) .. bin_rows(r + 1) - 1, whose partial sums in block b are bin_sums(r, b) ..
/// bin_sums(r + 1, b) - 1. In scratch they have the slots from bin_slots(r, b) on. sum_codes are the slots of the rows,
/// with the end flag at the last slot of a row, in chunks as above (natural order); the slot shape.slots holds 0. The first
/// code of chunk c is in row sum_rows(c).
///
/// `positions` (the position in values of CSR entry k) and row_offsets (shared with the CSR) are for conversions and for
/// spmv() without a plan.
template <class Scalar, class Ordinal, class Offset, class Device>
struct ColumnBlocks {
  static_assert(!std::is_const_v<Scalar>, "einkorn::ColumnBlocks: Scalar must not be const");

  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  using Code = std::uint16_t;

  Ordinal num_rows = 0, num_cols = 0;
  ColumnBlocksShape shape;
  Offset num_sums = 0;                              // partial sums
  Fingerprint source;                               // of the CSR given to from_csr
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_rows + 1]
  Kokkos::View<Offset*, Device> positions;          // [nnz]
  Kokkos::View<Offset*, Device> block_chunks;       // [num_blocks + 1]
  Kokkos::View<Offset*, Device> chunk_sums;         // [num_chunks + 1]
  Kokkos::View<Offset*, Device> item_chunks;        // [num_items + 1]
  Kokkos::View<Ordinal*, Device> item_blocks;       // [num_items]
  Kokkos::View<Code*, Device> codes;                // [num_chunks * shape.entries]
  Kokkos::View<Scalar*, Device> values;             // [num_chunks * shape.entries]
  Kokkos::View<Ordinal*, Device> bin_rows;          // [num_bins + 1]
  Kokkos::View<Offset*, Device> bin_chunks;         // [num_bins + 1]
  Kokkos::View<Offset*, Device> bin_sums;           // [(num_bins + 1) * num_blocks]
  Kokkos::View<Code*, Device> bin_slots;            // [num_bins * (num_blocks + 1)]
  Kokkos::View<Code*, Device> sum_codes;            // [number of chunks of the bins * shape.entries]
  Kokkos::View<Ordinal*, Device> sum_rows;          // [number of chunks of the bins]

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(positions.extent(0)); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal num_blocks() const {
    return static_cast<Ordinal>(block_chunks.extent(0) - (block_chunks.extent(0) > 0));
  }
  [[nodiscard]] int num_items() const { return static_cast<int>(item_blocks.extent(0)); }
  [[nodiscard]] int num_bins() const { return static_cast<int>(bin_rows.extent(0) - (bin_rows.extent(0) > 0)); }
  /// The column of the entry at a position of values.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Offset position) const {
    auto const entries = static_cast<Offset>(shape.entries);
    Offset const chunk = position / entries;
    Ordinal const block = row_of_entry(block_chunks, Ordinal(0), num_blocks(), chunk);
    int const in_chunk = static_cast<int>(position % entries);
    int const code = in_chunk % shape.lanes * (shape.entries / shape.lanes) + in_chunk / shape.lanes;
    return block * static_cast<Ordinal>(shape.columns) +
           static_cast<Ordinal>(codes(chunk * entries + static_cast<Offset>(code)) & ChunkCode::index_mask);
  }
  /// Bytes that an SpMV with a plan, with sums in Scalar, reads and writes in addition to x and y.
  [[nodiscard]] std::size_t spmv_bytes() const {
    auto const nnz_bytes = static_cast<std::size_t>(nnz()) * (sizeof(Scalar) + sizeof(Code));
    return nnz_bytes + 2 * sizeof(Scalar) * static_cast<std::size_t>(num_sums) +
           sum_codes.size() * sizeof(Code) + (chunk_sums.size() + bin_sums.size()) * sizeof(Offset) +
           bin_slots.size() * sizeof(Code);
  }
  /// Bytes of all arrays, including row_offsets.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t all = 0;
    visit_arrays([&all](char const*, auto const& array) {
      all += array.size() * sizeof(typename std::decay_t<decltype(array)>::value_type);
    });
    return all;
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("row_offsets", row_offsets);
    visit("positions", positions);
    visit("block_chunks", block_chunks);
    visit("chunk_sums", chunk_sums);
    visit("item_chunks", item_chunks);
    visit("item_blocks", item_blocks);
    visit("codes", codes);
    visit("values", values);
    visit("bin_rows", bin_rows);
    visit("bin_chunks", bin_chunks);
    visit("bin_sums", bin_sums);
    visit("bin_slots", bin_slots);
    visit("sum_codes", sum_codes);
    visit("sum_rows", sum_rows);
  }
};

}  // namespace einkorn
