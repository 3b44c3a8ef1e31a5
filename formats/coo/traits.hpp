// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Coo;

template <>
struct FormatTraits<Coo> {
  static constexpr FormatName format = FormatName::coo;
  static constexpr char const* name = "coo";
  static constexpr bool has_fused_apply = false;

  static FormatEstimate estimate(EstimateInput const& in) {
    FormatEstimate e;
    e.matrix_bytes = in.entries() * (in.scalar() + 2 * in.ordinal());
    e.basis = "one more index per entry";
    e.model = in.on_host() ? FormatModel{1.0, 2, 1} : FormatModel{in.is_single() ? 0.51 : 0.70, 5, 2};
    if (in.on_host()) e.core_seconds = 1e-9 * (0.1 * in.entries() + (in.is_single() ? 11.0 : 5.5) * in.rows());
    return e;
  }
};

}  // namespace einkorn
