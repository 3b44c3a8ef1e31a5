// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Dia;

template <>
struct FormatTraits<Dia> {
  static constexpr FormatName format = FormatName::dia;
  static constexpr char const* name = "dia";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& s = in.structure;
    double const stored = in.rows() * static_cast<double>(s.num_diagonals);
    FormatEstimate e;
    e.gathers_x = false;
    e.matrix_bytes = stored * in.scalar();
    e.fill = in.fill(stored);
    e.basis = detail::formatted("%lld diagonals, fill %.2f", static_cast<long long>(s.num_diagonals), e.fill);
    double const gpu = (in.has_short_rows() ? 0.95 : 1.01) * (in.is_single() ? 0.95 : 1.0);
    e.model = in.on_host() ? FormatModel{1.0, 7, 1} : FormatModel{gpu, 5, 1};
    if (in.on_host()) e.core_seconds = 1e-9 * 0.2 * in.rows();
    return e;
  }
};

}  // namespace einkorn
