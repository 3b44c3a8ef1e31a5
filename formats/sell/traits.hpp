// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

#include <cmath>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Sell;

template <>
struct FormatTraits<Sell> {
  static constexpr FormatName format = FormatName::sell;
  static constexpr char const* name = "sell";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& s = in.structure;
    bool const sorts = s.slice_fill > 1.05;
    FormatEstimate e;
    e.fill = sorts ? s.sorted_slice_fill : s.slice_fill;
    e.matrix_bytes = in.entries() * e.fill * (in.scalar() + in.ordinal()) +
                     in.rows() / std::fmax(static_cast<double>(s.slice_rows), 1.0) * in.offset() +
                     (sorts ? in.rows() * in.ordinal() : 0);
    e.basis = detail::formatted("slices of %lld rows, fill %.3f", static_cast<long long>(s.slice_rows), e.fill);
    if (in.on_host()) {
      e.model = {1.0, 4, 1};
      e.core_seconds = 3e-6 + 1e-9 * (0.15 * in.entries() * e.fill + 2.7 * in.rows());
    } else {
      double const by_length = in.has_short_rows() ? 0.95 : in.has_long_rows() ? 1.05 : 0.99;
      e.model = {by_length * (in.uniform_rows ? 1.0 : 0.85), 5, 1};
      e.min_seconds = in.longest_row() * 0.1e-6;
    }
    return e;
  }
};

}  // namespace einkorn
