// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/padded/tuning.hpp>

#include <cstdint>

namespace einkorn {

/// C unless the caller says otherwise: as many rows as threads or SIMD lanes work on in step. Fewer, and loads
/// are not coalesced; more, and a slice waits for, and is padded to, the longest of more rows.
template <class Exec, class Scalar>
inline constexpr int sell_slice_rows = padded_lanes<Exec, sum_type<Scalar>>;

/// Most rows a slice.
inline constexpr int sell_max_slice_rows = 1024;

/// Rows are left in their order when the slots are at most so many times the entries. What sorting could save
/// is then less than what it costs: an ordinal a row read, y written out of order. Analytical, not measured.
inline constexpr double sell_fill_without_sorting = 1.05;

/// sigma where rows are sorted: the window is large against a slice, so that slices are of like rows, and small
/// enough that the x and y of its rows (32 KB of doubles) stay in a near cache. Analytical, not measured.
inline constexpr std::int64_t sell_sorting_window = 4096;

}  // namespace einkorn
