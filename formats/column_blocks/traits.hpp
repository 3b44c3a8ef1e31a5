// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/column_blocks/column_blocks_tuning.hpp>
#include <einkorn/formats/format_traits.hpp>

#include <algorithm>
#include <cmath>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct ColumnBlocks;

template <>
struct FormatTraits<ColumnBlocks> {
  static constexpr FormatName format = FormatName::column_blocks;
  static constexpr char const* name = "column_blocks";
  static constexpr bool has_fused_apply = false;

  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& s = in.structure;
    auto const shape = column_blocks_shape(in.arch, std::max(in.scalar_bytes, in.vector_scalar_bytes));
    double const blocks = std::ceil(static_cast<double>(s.num_cols) / shape.columns);
    double const longest = std::fmin(in.longest_row(), blocks) + in.longest_row() / shape.entries;
    double const nonempty = in.rows() - static_cast<double>(s.empty_rows);
    double const sums = std::fmax(s.column_block_changes * in.entries(), nonempty);
    FormatEstimate e;
    e.gathers_x = false;
    e.matrix_bytes =
        in.entries() * (in.scalar() + 2) + sums * (2 * std::fmax(in.scalar(), in.vector_scalar()) + 2);
    e.model = {0.80, 55, 2};
    e.core_seconds =
        28e-6 + 2e-12 * sums;  // H100 and H200: the parts of x and the sums that teams copy to scratch
    e.basis = detail::formatted("%.0f blocks of columns, %.2f partial sums per entry", blocks,
                                sums / std::fmax(in.entries(), 1.0));
    if (in.on_host() || s.gathered_sectors == 0)
      e.refused = true, e.basis = "column blocks: for matrices larger than the caches of a GPU";
    else if (longest > shape.max_row_sums() || blocks > column_blocks_tuning(in.arch).max_blocks)
      e.refused = true,
      e.basis = "column blocks: more partial sums in a row, or blocks, than team scratch has space for";
    return e;
  }
};

}  // namespace einkorn
