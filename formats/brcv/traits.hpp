// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

#include <cmath>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Brcv;

template <>
struct FormatTraits<Brcv> {
  static constexpr FormatName format = FormatName::brcv;
  static constexpr char const* name = "brcv";
  static constexpr bool has_fused_apply = false;

  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& s = in.structure;
    auto const stripes = static_cast<double>(s.num_stripes);
    FormatEstimate e;
    e.matrix_bytes = in.entries() * in.scalar() + static_cast<double>(s.stripe_columns) * in.ordinal() +
                     stripes * (in.ordinal() + 2 * in.offset());
    e.basis = detail::formatted("%lld stripes of %.1f rows", static_cast<long long>(s.num_stripes),
                                in.rows() / std::fmax(stripes, 1.0));
    if (in.on_host()) {
      e.model = {1.0, 4, 1};
      e.core_seconds = (in.is_single() ? 1.5e-9 : 1e-9) * (0.15 * in.entries() + 10.5 * stripes);
    } else {
      e.model = {(in.has_long_rows() ? 0.55 : 0.60) * (in.is_single() ? 0.85 : 1.0), 10, 1};
      if (!in.uniform_rows) e.min_seconds = in.longest_row() * 0.06e-6;
    }
    return e;
  }
};

}  // namespace einkorn
