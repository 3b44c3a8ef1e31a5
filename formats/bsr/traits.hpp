// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

#include <cstddef>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Bsr;

template <>
struct FormatTraits<Bsr> {
  static constexpr FormatName format = FormatName::bsr;
  static constexpr char const* name = "bsr";
  static constexpr bool has_fused_apply = false;

  /// For the block size, among 2 .. 8, that stores the fewest bytes per entry.
  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& block_fill = in.structure.block_fill;
    auto const bytes_per_entry = [&](std::size_t b) {
      auto const area = static_cast<double>(b * b);
      return block_fill[b] * (in.scalar() + in.ordinal() / area);
    };
    std::size_t best = 2;
    for (std::size_t b = 3; b < block_fill.size(); ++b)
      if (bytes_per_entry(b) < bytes_per_entry(best)) best = b;
    FormatEstimate e;
    e.matrix_bytes = in.entries() * bytes_per_entry(best) + in.rows() / static_cast<double>(best) * in.offset();
    e.fill = block_fill[best];
    e.basis = detail::formatted("%zu x %zu blocks, fill %.2f", best, best, e.fill);
    if (in.on_host()) {
      e.model = {1.0, best > 2 ? 9.0 : 16.0, 1};
      e.core_seconds = 1e-9 * (0.1 * in.entries() * e.fill + (in.is_single() ? 4.0 : 1.6) * in.rows());
    } else {  // short block rows leave lanes idle
      e.model = {(in.has_long_rows() ? 0.87 : 0.72) * (in.is_single() ? 0.70 : 1.0), 7, 1};
      if (!in.uniform_rows) e.min_seconds = in.longest_row() * 0.06e-6;
    }
    return e;
  }
};

}  // namespace einkorn
