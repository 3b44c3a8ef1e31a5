// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <climits>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// The rows of one rank on the host, split into owned and ghost columns: the arrays of DistributedCsr.
template <class Ordinal, class Offset>
struct SplitRows {
  std::vector<Offset> local_offsets, ghost_offsets;
  std::vector<Ordinal> local_columns, ghost_columns, boundary_rows;
  std::vector<Offset> ghost_entries;
  std::vector<std::int64_t> ghost_ids;  // ascending
};

/// Throws OverflowError unless T counts to `count`.
template <class T, class Count>
void require_countable(char const* operation, Count count, char const* what, char const* type) {
  auto const largest = std::numeric_limits<T>::max();
  require<OverflowError>(std::cmp_less_equal(count, largest), [&] {
    return std::string(operation) + ": " + std::to_string(count) + " " + what + " do not fit " + type + " (" +
           std::to_string(sizeof(T) * CHAR_BIT) + " bits, at most " + std::to_string(largest) +
           "); int64_t would do, or more ranks";
  });
}

/// Checks the sizes of the rows that a rank passes, before anything is read.
template <class Ordinal, class Offset>
void require_row_extents(char const* operation, std::int64_t rows, std::size_t num_offsets,
                         std::size_t num_columns, std::size_t num_values) {
  require_countable<Ordinal>(operation, rows, "owned rows", "Ordinal");
  auto const expected = static_cast<std::size_t>(rows) + 1;
  require<DimensionMismatch>(num_offsets == expected || (rows == 0 && num_offsets == 0), [&] {
    return std::string(operation) + ": row_offsets has extent(0) = " + std::to_string(num_offsets) +
           ", expected " + std::to_string(expected) + ", the owned rows + 1";
  });
  require<DimensionMismatch>(num_columns == num_values, [&] {
    return std::string(operation) + ": global_columns has extent(0) = " + std::to_string(num_columns) +
           ", values " + std::to_string(num_values) + ", expected the same";
  });
  require_countable<Offset>(operation, num_values, "entries of the owned rows", "Offset");
}

/// Throws InvalidStructure for the first invalid row offset.
/// @param offsets  on the host, extent checked; may be empty without rows
template <class Offsets>
void require_row_offsets(char const* operation, std::int64_t first_row, Offsets const& offsets,
                         std::size_t num_entries) {
  auto const refuse = [&](std::size_t i, std::string const& expected) {
    throw InvalidStructure(std::string(operation) + ": row_offsets(" + std::to_string(i) + ") is " +
                           std::to_string(offsets(i)) + ", expected " + expected);
  };
  std::size_t const size = offsets.extent(0);
  if (size == 0) {
    require<InvalidStructure>(num_entries == 0, [&] {
      return std::string(operation) + ": " + std::to_string(num_entries) + " entries, but no rows";
    });
    return;
  }
  if (offsets(0) != 0) refuse(0, "0");
  for (std::size_t i = 1; i < size; ++i)
    if (offsets(i) < offsets(i - 1))
      refuse(i, "at least row_offsets(" + std::to_string(i - 1) + ") = " + std::to_string(offsets(i - 1)) +
                    " (global row " + std::to_string(first_row + static_cast<std::int64_t>(i) - 1) + ")");
  if (std::cmp_not_equal(offsets(size - 1), num_entries))
    refuse(size - 1, "the number of entries, " + std::to_string(num_entries));
}

/// The position of an id in the ascending list.
template <class Ordinal>
Ordinal index_of_ghost(std::vector<std::int64_t> const& ghost_ids, std::int64_t id) {
  return static_cast<Ordinal>(std::lower_bound(ghost_ids.begin(), ghost_ids.end(), id) - ghost_ids.begin());
}

struct GhostCounts {
  std::size_t entries = 0, rows = 0;
};

/// Counts the entries in columns that rank does not own, and the rows with such entries.
/// @throws InvalidStructure for the first column out of range
template <class Offsets, class Columns>
GhostCounts count_ghosts(char const* operation, RowBlocks const& blocks, int rank, Offsets const& offsets,
                         Columns const& columns) {
  GhostCounts count;
  auto const rows = static_cast<std::size_t>(blocks.size(rank));
  for (std::size_t i = 0; i < rows; ++i) {
    auto const before = count.entries;
    for (auto k = static_cast<std::size_t>(offsets(i)); k < static_cast<std::size_t>(offsets(i + 1)); ++k) {
      auto const column = static_cast<std::int64_t>(columns(k));
      require<InvalidStructure>(0 <= column && column < blocks.num_rows(), [&] {
        return std::string(operation) + ": entry " + std::to_string(k) + " in global row " +
               std::to_string(blocks.begin(rank) + static_cast<std::int64_t>(i)) + " has column " +
               std::to_string(column) + ", expected 0 .. " + std::to_string(blocks.num_rows()) + " - 1";
      });
      count.entries += !blocks.owns(rank, column);
    }
    count.rows += count.entries > before;
  }
  return count;
}

/// The columns that rank does not own, ascending and unique.
template <class Columns>
std::vector<std::int64_t> ghost_ids_of(char const* purpose, RowBlocks const& blocks, int rank,
                                       std::size_t ghost_entries, Columns const& columns) {
  std::vector<std::int64_t> ids;
  reserve(ids, purpose, ghost_entries);
  for (std::size_t k = 0; k < columns.extent(0); ++k) {
    auto const column = static_cast<std::int64_t>(columns(k));
    if (!blocks.owns(rank, column)) ids.push_back(column);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Splits the rows of `rank`. Reads the columns three times.
/// @param offsets, columns  of these rows, on the host, with checked extents and offsets; global columns
/// @throws InvalidStructure for the first column out of range; OverflowError; OutOfMemory
template <class Ordinal, class Offset, class Offsets, class Columns>
SplitRows<Ordinal, Offset> split_rows(char const* operation, RowBlocks const& blocks, int rank,
                                      Offsets const& offsets, Columns const& columns) {
  std::string const text = joined("einkorn::", operation, ": split rows");
  char const* const purpose = text.c_str();
  auto const rows = static_cast<std::size_t>(blocks.size(rank));
  auto const count = count_ghosts(operation, blocks, rank, offsets, columns);
  SplitRows<Ordinal, Offset> split;
  split.ghost_ids = ghost_ids_of(purpose, blocks, rank, count.entries, columns);
  require_countable<Ordinal>(operation, split.ghost_ids.size(), "ghosts", "Ordinal");

  split.local_offsets = allocate_vector<Offset>(purpose, rows + 1);
  reserve(split.local_columns, purpose, columns.extent(0) - count.entries);
  reserve(split.ghost_columns, purpose, count.entries);
  reserve(split.ghost_entries, purpose, count.entries);
  reserve(split.boundary_rows, purpose, count.rows);
  reserve(split.ghost_offsets, purpose, count.rows + 1);
  split.ghost_offsets.push_back(Offset(0));
  for (std::size_t i = 0; i < rows; ++i) {
    auto const before = split.ghost_columns.size();
    for (auto k = static_cast<std::size_t>(offsets(i)); k < static_cast<std::size_t>(offsets(i + 1)); ++k) {
      auto const column = static_cast<std::int64_t>(columns(k));
      if (blocks.owns(rank, column)) {
        split.local_columns.push_back(static_cast<Ordinal>(column - blocks.begin(rank)));
      } else {
        split.ghost_columns.push_back(index_of_ghost<Ordinal>(split.ghost_ids, column));
        split.ghost_entries.push_back(static_cast<Offset>(k));
      }
    }
    split.local_offsets[i + 1] = static_cast<Offset>(split.local_columns.size());
    if (split.ghost_columns.size() == before) continue;
    split.boundary_rows.push_back(static_cast<Ordinal>(i));
    split.ghost_offsets.push_back(static_cast<Offset>(split.ghost_columns.size()));
  }
  return split;
}

}  // namespace einkorn::detail
