// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// All decisions of SpGEMM, as pure functions in the order in which their inputs become known. The bins of
/// single rows are in formats/spgemm/tuning.hpp.
namespace einkorn::detail {

/// How the pattern of C is computed.
enum class SpgemmPath {
  empty,       ///< A or B has no entries
  host_rows,   ///< Gustavson's algorithm, one host thread per row
  row_teams,   ///< every row by a group of lanes or a team
  row_classes  ///< one row per class of translation-equivalent rows; row_teams if they are not found
};

/// How the values of C are computed.
enum class SpgemmNumericPath {
  host_dense,    ///< one accumulator per column of C and thread
  host_hash,     ///< in the row of C, with a rank table per thread
  hash_ordered,  ///< accumulators and a rank table in scratch, fixed order
  hash_atomic,   ///< the same with atomic additions
  scatter_map    ///< accumulators in scratch at positions stored per row class
};

/// Known before the first kernel.
struct SpgemmSizes {
  std::size_t rows_A = 0, rows_B = 0, nnz_A = 0, nnz_B = 0;
  std::size_t ordinal_bytes = 4;
  bool on_host = false;  ///< matrices in host memory and an execution space of the host
};

/// A class must have four rows on average to save time.
constexpr std::size_t max_row_classes(std::size_t rows) {
  return std::min(std::size_t(1) << 14, rows / 4);
}

/// Slots of the hash table for that many row classes: a power of two, filled to at most one half.
constexpr std::size_t row_class_slots(std::size_t num_classes) {
  std::size_t slots = 4;
  while (slots < 2 * num_classes) slots *= 2;
  return slots;
}
/// Bytes of that table: per slot a hash and a row, and a counter.
constexpr std::size_t row_class_table_bytes(std::size_t num_classes) {
  return (2 * row_class_slots(num_classes) + 1) * sizeof(std::uint64_t);
}

/// Rows of A, and of B, that are compared with the rows before them to decide whether classes are searched.
inline constexpr std::size_t row_class_sample_size = 256;
/// Whether the search is worth its time: half of the sampled rows are translations of a row before them.
constexpr bool may_have_row_classes(std::uint64_t repeated_A, std::uint64_t repeated_B) {
  return 2 * std::min(repeated_A, repeated_B) >= row_class_sample_size;
}

/// Bytes to find the row classes of C.
constexpr std::size_t row_class_search_bytes(SpgemmSizes const& sizes) {
  std::size_t const rows = std::max(sizes.rows_A, sizes.rows_B);
  return rows * sizeof(std::uint64_t) + (2 * sizes.rows_B + sizes.rows_A) * sizes.ordinal_bytes +
         row_class_table_bytes(max_row_classes(rows));
}

/// Bytes that row_teams needs in any case: two lists of the rows of C.
constexpr std::size_t row_team_bytes(SpgemmSizes const& sizes) {
  return 2 * sizes.rows_A * sizes.ordinal_bytes;
}

/// What `limit` leaves beside `used` bytes.
constexpr std::size_t remaining_bytes(std::size_t limit, std::size_t used) {
  return limit - std::min(limit, used);
}

constexpr SpgemmPath choose_spgemm(SpgemmSizes const& sizes, SpgemmOptions const& options) {
  if (sizes.nnz_A == 0 || sizes.nnz_B == 0) return SpgemmPath::empty;
  if (options.algorithm == SpgemmAlgorithm::host_rows ||
      (options.algorithm == SpgemmAlgorithm::automatic && sizes.on_host))
    return SpgemmPath::host_rows;
  bool const may_have_classes = options.row_classes == SpgemmRowClasses::detect &&
                                max_row_classes(sizes.rows_A) > 0 && max_row_classes(sizes.rows_B) > 0;
  return may_have_classes && row_class_search_bytes(sizes) <=
                                 remaining_bytes(options.workspace_limit, row_team_bytes(sizes))
             ? SpgemmPath::row_classes
             : SpgemmPath::row_teams;
}

/// Whether B is used in compressed form: at most two thirds of its entries, and within the limit.
constexpr bool uses_compressed_B(std::size_t num_compressed, std::size_t nnz_B, std::size_t bytes,
                                 std::size_t limit) {
  return 3 * num_compressed <= 2 * nnz_B && bytes <= limit;
}

/// The factor by which the upper bounds of all rows are scaled, from the ratio that 15 of 16 sampled rows do
/// not exceed; 1: not scaled.
constexpr double choose_compression(double sampled_ratio) {
  return sampled_ratio > 0.0 && sampled_ratio < 0.5 ? sampled_ratio : 1.0;
}

/// Whether rows are sampled: if there are 32 times as many, and memory for the sample.
constexpr bool samples_rows(std::size_t rows, int sample_size, std::size_t ordinal_bytes, std::size_t limit) {
  auto const size = static_cast<std::size_t>(sample_size);
  return rows >= 32 * size && limit >= (4 * ordinal_bytes + sizeof(float)) * size;
}

// The limits on products are from A A and A A^T of 24 real matrices of 10^5 to 5 10^7 products, and six generated ones,
// on an H100 (docs/design/0004-spgemm.md).

/// Whether the rows of C keep the bins of their upper bounds: no sample is counted first, and the columns are written
/// with the same bins. In smaller products launches and read-backs take longer than larger tables.
constexpr bool keeps_symbolic_bins(std::uint64_t products) {
  return products <= std::uint64_t(1) << 28;
}
/// Whether `automatic` searches for row classes: in smaller products the search takes longer than it saves.
constexpr bool searches_row_classes(std::uint64_t products) {
  return products > std::uint64_t(1) << 25;
}
/// Whether a GPU may compress B: in smaller products that takes longer than it saves.
constexpr bool may_compress_B(std::uint64_t products) {
  return products > std::uint64_t(1) << 23;
}

/// Whether the columns are counted and written by one pass, in memory for the upper bounds, then copied to C. Without a
/// limit of memory only. In smaller products the allocation takes longer than the second pass; compressed
/// columns are far fewer than their upper bounds.
constexpr bool counts_while_writing(std::uint64_t products, bool is_compressed_B, std::size_t limit) {
  return products > std::uint64_t(1) << 23 && keeps_symbolic_bins(products) && !is_compressed_B &&
         limit == std::numeric_limits<std::size_t>::max();
}

/// Whether the numeric phase concatenates rows of B of 9 to 16 entries, so that all lanes have a product, even
/// though lanes with the same column add one after another: if few products of C have the same column. H100,
/// 2026-11: 1.0 products per entry of C, 8.9 instead of 10 ms; 2.8 (wave), 6 % slower.
constexpr bool concatenates_segments(std::uint64_t products, std::uint64_t entries) {
  return 2 * products < 3 * entries;
}

/// Rows that a group of lanes computes together with a scatter map.
constexpr int scatter_batch_rows(SpgemmTuning const& tuning, int scalar_bytes, int row_length) {
  int rows = 4;
  while (rows > 1 && rows * row_length * scalar_bytes > tuning.max_batch_bytes) rows /= 2;
  return rows;
}
/// Sums of that many rows that are read and written as one vector: at most 16 bytes, so that adjacent lanes
/// access different banks.
constexpr int rows_per_vector(int rows, int scalar_bytes) {
  return std::min(rows, std::max(1, 16 / scalar_bytes));
}

struct ScatterMapChoice {
  bool is_used = false;
  bool is_swizzled = false;  ///< ordered without bank conflicts: full warps, 16-byte vectors, batches of 4 rows

  friend constexpr bool operator==(ScatterMapChoice const&, ScatterMapChoice const&) = default;
};

/// Whether a scatter map is made for row classes. max_row_length: of C. segment_lanes: lanes per row of B; 1 if
/// a row of B may repeat a column.
constexpr ScatterMapChoice choose_scatter_map(SpgemmTuning const& tuning, SpgemmRows rows,
                                              std::uint64_t max_row_length, int segment_lanes,
                                              int scalar_bytes) {
  if (rows != SpgemmRows::sorted || max_row_length > static_cast<std::uint64_t>(tuning.max_scatter_row_length))
    return {};
  constexpr int full_warp = 32, full_batch = 4;
  return {true, segment_lanes == full_warp && rows_per_vector(full_batch, scalar_bytes) * scalar_bytes == 16 &&
                    scatter_batch_rows(tuning, scalar_bytes, static_cast<int>(max_row_length)) == full_batch};
}

/// Whether each host thread has one accumulator per item (column or key of C), rather than a hash table. An
/// array costs memory and time by columns, a hash table by entries; the array is faster up to a few columns per
/// entry. `entries`: of the matrices known so far.
constexpr bool uses_dense_accumulator(std::size_t items, std::size_t bytes_per_item, std::size_t threads,
                                      std::size_t entries) {
  constexpr std::size_t always_bytes = std::size_t(1) << 16, max_items_per_entry = 4;
  return items <= always_bytes / bytes_per_item ||
         items / max_items_per_entry <= entries / (threads > 0 ? threads : 1);
}

/// The same for the values, with at most 1 GiB per thread and `limit` bytes for all of them. Dense sums were
/// faster than hash tables even with random columns and 12 MB of sums per thread (2 cores of a shared Xeon,
/// 2026-11, gen:longrows:1500000:1500000:5: 0.60 s against 2.07 s).
constexpr bool uses_dense_sums(std::size_t columns, std::size_t scalar_bytes, std::size_t threads,
                               std::size_t entries, std::size_t limit) {
  constexpr std::size_t max_bytes = std::size_t(1) << 30;
  std::size_t const bytes = columns * scalar_bytes;
  return uses_dense_accumulator(columns, scalar_bytes, threads, entries) && bytes <= max_bytes &&
         threads * bytes <= limit;
}

/// `path`: that of the pattern. has_dense_sums: of host_rows.
constexpr SpgemmNumericPath choose_spgemm_numeric(SpgemmPath path, bool has_scatter_map, bool has_dense_sums,
                                                  SpgemmSums sums) {
  if (has_scatter_map) return SpgemmNumericPath::scatter_map;
  if (path == SpgemmPath::host_rows)
    return has_dense_sums ? SpgemmNumericPath::host_dense : SpgemmNumericPath::host_hash;
  return sums == SpgemmSums::ordered ? SpgemmNumericPath::hash_ordered : SpgemmNumericPath::hash_atomic;
}

}  // namespace einkorn::detail
