// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/padded/tuning.hpp>

#include <cstdint>

namespace einkorn {

/// Default C: the number of rows computed in lockstep. With fewer rows loads are not coalesced; with more rows
/// padding increases.
template <class Exec, class Scalar>
inline constexpr int sell_slice_rows = padded_lanes<Exec, sum_type<Scalar>>;

/// Maximum rows per slice.
inline constexpr int sell_max_slice_rows = 1024;

/// Rows are not sorted if the fill (slots / entries) is at most this. Sorting would then save less than it
/// costs: one ordinal read per row, and scattered writes of y. Analytical, not measured.
inline constexpr double sell_fill_without_sorting = 1.05;

/// sigma if rows are sorted. The window is much larger than a slice, so that rows of a slice have similar
/// lengths, and small enough that its x and y (32 KB of doubles) stay in the cache. Analytical, not measured.
inline constexpr std::int64_t sell_sorting_window = 4096;

/// sigma on a GPU for a matrix that stays in the second-level cache, up to this fill: the rows of a slice stay near each
/// other and read neighbouring parts of x. H200, 16 matrices: 3 to 14 % faster than 4096 on 8 (meshes, netlists), else equal.
inline constexpr std::int64_t sell_cached_sorting_window = 128;
inline constexpr double sell_max_cached_fill = 2.0;

/// sigma of an automatic sort of a matrix of `entries` entries, before it is rounded up to a multiple of C.
template <class Exec>
constexpr std::int64_t sell_window(std::int64_t entries) {
  return is_gpu<Exec> && entries <= max_cached_entries ? sell_cached_sorting_window : sell_sorting_window;
}

}  // namespace einkorn
