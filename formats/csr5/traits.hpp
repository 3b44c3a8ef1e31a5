// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Csr5;

template <>
struct FormatTraits<Csr5> {
  static constexpr FormatName format = FormatName::csr5;
  static constexpr char const* name = "csr5";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    FormatEstimate e;
    e.matrix_bytes = in.entries() * (in.scalar() + in.ordinal()) * 1.015;
    e.basis = "tiles of equal size, 1.5 % of descriptors";
    double const short_rows_gpu = in.structure.mean_row_length < 4 ? 0.80 : 0.87;
    if (in.on_host()) {
      e.model = {1.0, 5, 1};
      e.core_seconds = 1e-9 * (0.5 * in.entries() + 5.8 * in.rows());
    } else {
      e.model = {in.has_short_rows() ? short_rows_gpu : in.has_long_rows() ? 1.0 : 0.95, 4, 2};
    }
    return e;
  }
};

}  // namespace einkorn
