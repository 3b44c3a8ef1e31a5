// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/analysis/structure_types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// The number of bits of a count: the counts of one class differ by less than a factor of 2.
inline std::string bits_of(std::int64_t count) {
  return std::to_string(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0))));
}

/// A ratio in steps of 2^(1/4), from 0 (at most 2^(1/8)) to 12 (8 and more).
inline std::string ratio_class(double ratio) {
  double const steps = ratio > 1 ? std::fmin(std::round(4 * std::log2(ratio)), 12.0) : 0.0;
  return std::to_string(static_cast<int>(steps));
}

/// The row lengths that at least a sixteenth of the rows has: "bits:eighths" of the rows, comma-separated.
inline std::string row_length_class(Structure const& s) {
  std::string text;
  double const rows = std::fmax(static_cast<double>(s.num_rows), 1.0);
  for (std::size_t i = 0; i < s.row_length_histogram.size(); ++i) {
    auto const eighths = std::lround(8 * static_cast<double>(s.row_length_histogram[i]) / rows);
    if (eighths > 0) text += (text.empty() ? "" : ",") + std::to_string(i) + ':' + std::to_string(eighths);
  }
  return text.empty() ? "none" : text;
}

/// The sampled accesses to x in eighths; nothing if they were not sampled.
inline std::string gather_class(Structure const& s) {
  if (s.gathered_sectors == 0) return "";
  return " gathers=" + std::to_string(std::lround(8 * s.gathered_sectors)) + ',' +
         std::to_string(std::lround(8 * s.column_block_changes));
}

}  // namespace detail

/// The class of a structure: matrices of one class are expected to have the same fastest format.
///
/// Sizes, the longest row and the mean height of a stripe in powers of 2; the histogram of the row lengths in
/// eighths of the rows; fills of DIA, SELL and BSR in steps of 2^(1/4); sampled accesses to x; whether rows are sorted. One line, for
/// keys of Wisdom. A change of this text makes existing wisdom unused.
inline std::string structure_class(Structure const& s) {
  double const nnz = std::fmax(static_cast<double>(s.nnz), 1.0);
  double const diagonal_slots = static_cast<double>(s.num_rows) * static_cast<double>(s.num_diagonals);
  std::string blocks;
  for (std::size_t b = 2; b < s.block_fill.size(); ++b)
    blocks += (blocks.empty() ? "" : ",") + detail::ratio_class(s.block_fill[b]);
  return "rows=" + detail::bits_of(s.num_rows) + " cols=" + detail::bits_of(s.num_cols) +
         " nnz=" + detail::bits_of(s.nnz) + " longest=" + detail::bits_of(s.longest_row) +
         " lengths=" + detail::row_length_class(s) + " sorted=" + (s.sorted ? "1" : "0") +
         " diagonals=" + detail::ratio_class(diagonal_slots / nnz) + " bands=" + detail::bits_of(s.num_bands) +
         " slices=" + detail::ratio_class(s.slice_fill) + ',' + detail::ratio_class(s.sorted_slice_fill) +
         " blocks=" + blocks + detail::gather_class(s) +
         " stripes=" + detail::bits_of(s.num_rows / std::max<std::int64_t>(s.num_stripes, 1));
}

}  // namespace einkorn
