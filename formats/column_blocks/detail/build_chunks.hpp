// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/column_blocks/detail/chunk_layout.hpp>
#include <einkorn/formats/csr/detail/expand_rows.hpp>
#include <einkorn/formats/csr/detail/transpose_order.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

template <class Columns, class Blocks>
struct BlocksOfColumns {
  Columns columns;
  Blocks blocks;
  typename Blocks::value_type width;
  KOKKOS_FUNCTION void operator()(std::size_t k) const { blocks(k) = columns(k) / width; }
};

/// offsets(i) <- the sum over parts 0 .. i - 1 of ceil(size / unit), where part i has sizes(i) .. sizes(i + 1) - 1.
template <class Offsets>
struct UnitsOfParts {
  using Offset = typename Offsets::non_const_value_type;
  Offsets sizes, offsets;
  std::size_t num_parts;
  Offset unit;
  KOKKOS_FUNCTION void operator()(std::size_t i, Offset& before, bool is_final) const {
    if (is_final) offsets(i) = before;
    if (i < num_parts) before += ceil_div(sizes(i + 1) - sizes(i), unit);
  }
};

/// @return the offsets, [num_parts + 1]; total: the last of them
template <class Exec, class Offsets>
Offsets units_of_parts(Exec const& exec, char const* label, Offsets const& sizes,
                       typename Offsets::value_type unit, typename Offsets::value_type& total) {
  auto const offsets = allocate<Offsets>(exec, label, sizes.extent(0));
  total = 0;
  range_scan<std::size_t>(label, exec, sizes.extent(0),
                          UnitsOfParts<Offsets>{sizes, offsets, sizes.extent(0) - 1, unit}, total);
  return offsets;
}

/// The state of a conversion: entries in the order of blocks and rows.
template <class Format>
struct BlockedEntries {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Kokkos::View<Ordinal*, Device> rows, blocks;  // of the entries of the CSR
  BucketLists<Offset, Device> by_block;
  Kokkos::View<Offset*, Device> block_chunks;
  Offset entries;  // per chunk

  struct Place {
    Offset entry, chunk;  // entry of the CSR
    int in_chunk;
    bool ends;  // the last of its row in the block or of the chunk
  };
  /// The entry with index s in the order of blocks and rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place place(Offset s) const {
    Offset const entry = by_block.items(s);
    Ordinal const block = blocks(entry);
    Offset const index = s - by_block.offsets(block);
    int const in_chunk = static_cast<int>(index % entries);
    bool const ends = s + 1 == by_block.offsets(block + 1) || in_chunk + 1 == static_cast<int>(entries) ||
                      rows(by_block.items(s + 1)) != rows(entry);
    return {entry, block_chunks(block) + index / entries, in_chunk, ends};
  }
};

/// Counts the partial sums before each chunk and writes their rows.
template <class Format>
struct CountSums {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  BlockedEntries<Format> blocked;
  Kokkos::View<Offset*, Device> chunk_sums;
  Kokkos::View<Ordinal*, Device> sum_rows;  // [nnz]
  Offset nnz, num_chunks;

  KOKKOS_FUNCTION void operator()(Offset s, Offset& before, bool is_final) const {
    if (s == nnz) {
      if (is_final) chunk_sums(num_chunks) = before;
      return;
    }
    auto const place = blocked.place(s);
    if (is_final && place.in_chunk == 0) chunk_sums(place.chunk) = before;
    if (!place.ends) return;
    if (is_final) sum_rows(before) = blocked.rows(place.entry);
    ++before;
  }
};

template <class Format, class Matrix>
struct FillChunks {
  using Offset = typename Format::offset_type;
  using Code = typename Format::Code;

  Format F;
  Matrix A;
  BlockedEntries<Format> blocked;
  int max_few_sums;

  KOKKOS_FUNCTION void operator()(Offset s) const {
    auto const place = blocked.place(s);
    Offset const num_sums = F.chunk_sums(place.chunk + 1) - F.chunk_sums(place.chunk);
    ChunkLayout const layout{F.shape.lanes, F.shape.entries / F.shape.lanes,
                             num_sums <= static_cast<Offset>(max_few_sums)};
    Offset const first = place.chunk * static_cast<Offset>(F.shape.entries);
    auto const column = static_cast<unsigned>(A.columns(place.entry) % F.shape.columns);
    F.codes(first + static_cast<Offset>(layout.code(place.in_chunk))) =
        static_cast<Code>(column | (place.ends ? ChunkCode::end_flag : 0u));
    Offset const position = first + static_cast<Offset>(layout.value(place.in_chunk));
    F.values(position) = A.values(place.entry);
    F.positions(place.entry) = position;
  }
};

/// item_chunks and item_blocks of a block: equal parts of its chunks.
template <class Format, class Offsets>
struct DivideBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Format F;
  Offsets first_items;
  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    Offset const first = first_items(block), count = first_items(block + 1) - first;
    Offset const begin = F.block_chunks(block), chunks = F.block_chunks(block + 1) - begin;
    for (Offset i = 0; i < count; ++i) {
      F.item_blocks(first + i) = block;
      F.item_chunks(first + i) = begin + chunks / count * i + chunks % count * i / count;
    }
    if (block + 1 == F.num_blocks()) F.item_chunks(first + count) = begin + chunks;
  }
};

/// The number of teams that run at the same time: on a GPU of 2048 threads per multiprocessor, on the host 16 per thread.
template <class Exec>
std::int64_t resident_teams(Exec const& exec, int teams_per_sm) {
  auto const threads = static_cast<std::int64_t>(exec.concurrency());
  return is_gpu<Exec> ? std::max<std::int64_t>(threads / 2048, 1) * teams_per_sm : 16 * threads;
}

/// The number of chunks per item for which the items of all blocks need the least time, if `resident` items run at the
/// same time and an item takes the time of its chunks and of `staging` more for x.
/// @param block_chunks [blocks + 1], first chunk of each block
template <class Offsets>
std::int64_t choose_item_size(Offsets const& block_chunks, std::int64_t resident, std::int64_t staging) {
  constexpr std::int64_t min_size = 16;
  auto const blocks = block_chunks.extent(0) - 1;
  auto const chunks = [&](std::size_t b) {
    return static_cast<std::int64_t>(block_chunks(b + 1) - block_chunks(b));
  };
  auto const num_items = [&](std::int64_t size) {
    std::int64_t items = 0;
    for (std::size_t b = 0; b < blocks; ++b) items += ceil_div(chunks(b), size);
    return items;
  };
  std::int64_t longest = min_size;
  for (std::size_t b = 0; b < blocks; ++b) longest = std::max(longest, chunks(b));
  std::int64_t best = longest, least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t waves = 1; waves <= 8; ++waves) {
    if (num_items(longest) > waves * resident) continue;
    std::int64_t size = min_size;  // the smallest for which the items run in so many waves
    for (std::int64_t high = longest; size < high;) {
      std::int64_t const middle = size + (high - size) / 2;
      if (num_items(middle) > waves * resident)
        size = middle + 1;
      else
        high = middle;
    }
    std::int64_t const time = waves * (size + staging);
    if (time < least) best = size;
    least = std::min(least, time);
  }
  return best;
}

/// Chunks, codes, values and items: the arrays of the first pass.
/// @return the row of each partial sum
template <ColumnBlocksTuning tuning, class Exec, class Format, class Matrix>
auto build_chunks(Exec const& exec, Format& F, Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;
  using Offsets = Kokkos::View<Offset*, Device>;
  using Ordinals = Kokkos::View<Ordinal*, Device>;
  using Code = typename Format::Code;
  constexpr char const* label = "einkorn::from_csr[column_blocks]";
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_blocks = static_cast<Ordinal>(ceil_div(A.num_cols, static_cast<Ordinal>(F.shape.columns)));
  BlockedEntries<Format> blocked;
  blocked.entries = static_cast<Offset>(F.shape.entries);
  blocked.rows = allocate<Ordinals>(exec, "einkorn::from_csr[column_blocks]::rows", nnz);
  expand_rows(exec, A.row_offsets, A.num_rows, blocked.rows);
  blocked.blocks = allocate<Ordinals>(exec, "einkorn::from_csr[column_blocks]::blocks", nnz);
  range_for<std::size_t>(label, exec, nnz,
                         BlocksOfColumns<decltype(A.columns), Ordinals>{A.columns, blocked.blocks,
                                                                        static_cast<Ordinal>(F.shape.columns)});
  blocked.by_block =
      list_buckets(exec, blocked.blocks, static_cast<Offset>(blocked.blocks.extent(0)), num_blocks);
  Offset num_chunks = 0, num_items = 0;
  F.block_chunks = units_of_parts(exec, "einkorn::ColumnBlocks::block_chunks", blocked.by_block.offsets,
                                  static_cast<Offset>(F.shape.entries), num_chunks);
  blocked.block_chunks = F.block_chunks;

  auto const chunks = static_cast<std::size_t>(num_chunks), entries = static_cast<std::size_t>(F.shape.entries);
  F.chunk_sums = allocate<Offsets>(exec, "einkorn::ColumnBlocks::chunk_sums", chunks + 1);
  auto const sum_rows = allocate<Ordinals>(exec, "einkorn::from_csr[column_blocks]::sum_rows", nnz);
  F.num_sums = 0;
  range_scan<Offset>(label, exec, A.nnz() + 1,
                     CountSums<Format>{blocked, F.chunk_sums, sum_rows, A.nnz(), num_chunks}, F.num_sums);

  F.codes = allocate_zeros<Kokkos::View<Code*, Device>>(exec, "einkorn::ColumnBlocks::codes", chunks * entries);
  F.values = allocate_zeros<Kokkos::View<typename Format::scalar_type*, Device>>(
      exec, "einkorn::ColumnBlocks::values", chunks * entries);
  F.positions = allocate<Offsets>(exec, "einkorn::ColumnBlocks::positions", nnz);
  range_for<Offset>(label, exec, A.nnz(), FillChunks<Format, Matrix>{F, A, blocked, tuning.max_few_sums});

  auto const staging =  // half of the time to read as many bytes, which come from the second-level cache
      static_cast<std::int64_t>(F.shape.columns) * 8 / (static_cast<std::int64_t>(F.shape.entries) * 20);
  auto const per_item = static_cast<Offset>(choose_item_size(
      read_on_host(label, F.block_chunks), resident_teams(exec, tuning.x_teams_per_sm), staging));
  auto const first_items =
      units_of_parts(exec, "einkorn::from_csr[column_blocks]::items", F.block_chunks, per_item, num_items);
  F.item_blocks =
      allocate<Ordinals>(exec, "einkorn::ColumnBlocks::item_blocks", static_cast<std::size_t>(num_items));
  F.item_chunks =
      allocate<Offsets>(exec, "einkorn::ColumnBlocks::item_chunks", static_cast<std::size_t>(num_items) + 1);
  range_for<Ordinal>(label, exec, num_blocks, DivideBlocks<Format, Offsets>{F, first_items});
  return Ordinals(Kokkos::subview(sum_rows, Kokkos::pair<std::size_t, std::size_t>(0, F.num_sums)));
}

}  // namespace einkorn::detail
