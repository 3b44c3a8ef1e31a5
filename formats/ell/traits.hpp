// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Ell;

template <>
struct FormatTraits<Ell> {
  static constexpr FormatName format = FormatName::ell;
  static constexpr char const* name = "ell";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    double const stored = in.rows() * in.longest_row();
    FormatEstimate e;
    e.matrix_bytes = stored * (in.scalar() + in.ordinal());
    e.fill = in.fill(stored);
    e.basis = detail::formatted("fill %.2f", e.fill);
    if (in.on_host()) {
      e.model = {1.0, 4, 1};
      e.core_seconds = 1e-9 * 0.4 * stored;
    } else {
      e.model = {1.02, 9, 1};
      e.min_seconds = in.longest_row() * 0.1e-6;
    }
    return e;
  }
};

}  // namespace einkorn
