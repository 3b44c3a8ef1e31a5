// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

/// The rows of a distributed square matrix, in one contiguous block per rank: rank r owns the global rows
/// begin(r) ... end(r) - 1, and the same columns. Blocks may be empty. Rows are numbered in 64 bits.
class RowBlocks {
 public:
  /// No ranks.
  RowBlocks() = default;
  /// Rank r owns the rows offsets[r] ... offsets[r + 1] - 1.
  /// @param offsets  [ranks + 1], ascending from 0; equal offsets are an empty block
  /// @throws InvalidArgument for the first invalid offset
  explicit RowBlocks(std::vector<std::int64_t> offsets);

  /// Blocks of equal size; the first rows % ranks blocks have one row more.
  /// @throws InvalidArgument for negative rows or fewer than 1 rank
  static RowBlocks uniform(std::int64_t rows, int ranks);
  /// Blocks with about nnz / ranks entries: block r begins at the row whose offset is nearest to r nnz / ranks.
  /// Without entries as uniform().
  /// @param row_offsets  [rows + 1], valid row offsets of a CSR matrix: a vector or a View on the host
  /// @throws InvalidArgument for no offsets or fewer than 1 rank
  template <class RowOffsets>
  static RowBlocks balanced(RowOffsets const& row_offsets, int ranks);

  [[nodiscard]] std::int64_t num_rows() const { return offsets_.back(); }
  [[nodiscard]] int num_ranks() const { return static_cast<int>(offsets_.size()) - 1; }
  /// [num_ranks() + 1]
  [[nodiscard]] std::vector<std::int64_t> const& offsets() const { return offsets_; }
  /// @pre 0 <= rank < num_ranks(), here and below
  [[nodiscard]] std::int64_t begin(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t end(int rank) const { return offsets_[static_cast<std::size_t>(rank) + 1]; }
  [[nodiscard]] std::int64_t size(int rank) const { return end(rank) - begin(rank); }
  [[nodiscard]] bool owns(int rank, std::int64_t row) const { return begin(rank) <= row && row < end(rank); }
  /// The rank that owns the row. Binary search.
  /// @throws InvalidArgument for a row out of range
  [[nodiscard]] int owner(std::int64_t row) const;

  friend bool operator==(RowBlocks const&, RowBlocks const&) = default;

 private:
  static void require_ranks(char const* function, int ranks);

  std::vector<std::int64_t> offsets_ = {0};
};

/// New numbers of rows, so that the rows of every rank are contiguous.
struct OwnedOrder {
  RowBlocks blocks;
  std::vector<std::int64_t> new_ids;  ///< [rows], a permutation: row i becomes row new_ids[i]
};

/// Numbers the rows by owner. Rows of one rank keep their order.
/// @param owners  [rows], the rank of each row, 0 ... ranks - 1
/// @throws InvalidArgument for fewer than 1 rank or the first owner out of range; OutOfMemory
///
/// Cost: two passes over owners on one host thread.
OwnedOrder number_by_owner(std::vector<int> const& owners, int ranks);

inline RowBlocks::RowBlocks(std::vector<std::int64_t> offsets) {
  auto const refuse = [&](std::size_t i, std::string const& expected) {
    throw InvalidArgument("RowBlocks: offsets[" + std::to_string(i) + "] is " + std::to_string(offsets[i]) +
                          ", expected " + expected);
  };
  require<InvalidArgument>(offsets.size() >= 2, [&] {
    return "RowBlocks: offsets has " + std::to_string(offsets.size()) + " entries, expected ranks + 1 >= 2";
  });
  require<InvalidArgument>(
      offsets.size() - 1 <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
      [&] { return "RowBlocks: " + std::to_string(offsets.size() - 1) + " ranks do not fit int"; });
  if (offsets[0] != 0) refuse(0, "0");
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      refuse(i, "at least offsets[" + std::to_string(i - 1) + "] = " + std::to_string(offsets[i - 1]));
  offsets_ = std::move(offsets);
}

inline void RowBlocks::require_ranks(char const* function, int ranks) {
  require<InvalidArgument>(ranks >= 1, [&] {
    return std::string(function) + ": ranks is " + std::to_string(ranks) + ", expected at least 1";
  });
}

inline RowBlocks RowBlocks::uniform(std::int64_t rows, int ranks) {
  require_ranks("RowBlocks::uniform", ranks);
  require<InvalidArgument>(rows >= 0, [&] {
    return "RowBlocks::uniform: rows is " + std::to_string(rows) + ", expected at least 0";
  });
  auto const size = rows / ranks, longer = rows % ranks;
  auto offsets =
      allocate_vector<std::int64_t>("einkorn::RowBlocks: offsets", static_cast<std::size_t>(ranks) + 1);
  for (int r = 0; r < ranks; ++r)
    offsets[static_cast<std::size_t>(r) + 1] = size * (r + 1) + std::min<std::int64_t>(r + 1, longer);
  return RowBlocks(std::move(offsets));
}

template <class RowOffsets>
RowBlocks RowBlocks::balanced(RowOffsets const& row_offsets, int ranks) {
  require_ranks("RowBlocks::balanced", ranks);
  require<InvalidArgument>(row_offsets.size() > 0,
                           "RowBlocks::balanced: row_offsets is empty, expected rows + 1 entries");
  auto const rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  auto const offset = [&](std::int64_t row) {
    return static_cast<std::int64_t>(row_offsets[static_cast<std::size_t>(row)]);
  };
  auto const nnz = offset(rows);
  if (nnz == 0) return uniform(rows, ranks);
  auto offsets =
      allocate_vector<std::int64_t>("einkorn::RowBlocks: offsets", static_cast<std::size_t>(ranks) + 1);
  for (int r = 1; r < ranks; ++r) {
    auto const target = nnz / ranks * r + nnz % ranks * r / ranks;
    std::int64_t low = offsets[static_cast<std::size_t>(r) - 1], high = rows;
    while (low < high) {  // the first row with an offset of at least target
      auto const middle = low + (high - low) / 2;
      if (offset(middle) < target)
        low = middle + 1;
      else
        high = middle;
    }
    bool const is_nearer_before =
        low > offsets[static_cast<std::size_t>(r) - 1] && target - offset(low - 1) < offset(low) - target;
    offsets[static_cast<std::size_t>(r)] = is_nearer_before ? low - 1 : low;
  }
  offsets.back() = rows;
  return RowBlocks(std::move(offsets));
}

inline int RowBlocks::owner(std::int64_t row) const {
  require<InvalidArgument>(0 <= row && row < num_rows(), [&] {
    return "RowBlocks::owner: row is " + std::to_string(row) + ", expected 0 .. " + std::to_string(num_rows()) +
           " - 1";
  });
  auto const after = std::upper_bound(offsets_.begin(), offsets_.end(), row);
  return static_cast<int>(after - offsets_.begin()) - 1;
}

inline OwnedOrder number_by_owner(std::vector<int> const& owners, int ranks) {
  require<InvalidArgument>(ranks >= 1, [&] {
    return "number_by_owner: ranks is " + std::to_string(ranks) + ", expected at least 1";
  });
  auto offsets =
      allocate_vector<std::int64_t>("einkorn::number_by_owner: offsets", static_cast<std::size_t>(ranks) + 1);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    require<InvalidArgument>(0 <= owners[i] && owners[i] < ranks, [&] {
      return "number_by_owner: owners[" + std::to_string(i) + "] is " + std::to_string(owners[i]) +
             ", expected 0 .. " + std::to_string(ranks) + " - 1";
    });
    ++offsets[static_cast<std::size_t>(owners[i]) + 1];
  }
  for (std::size_t r = 1; r < offsets.size(); ++r) offsets[r] += offsets[r - 1];
  auto next = offsets;
  OwnedOrder order{RowBlocks(std::move(offsets)),
                   allocate_vector<std::int64_t>("einkorn::number_by_owner: new_ids", owners.size())};
  for (std::size_t i = 0; i < owners.size(); ++i)
    order.new_ids[i] = next[static_cast<std::size_t>(owners[i])]++;
  return order;
}

}  // namespace einkorn
