// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Bdia;

template <>
struct FormatTraits<Bdia> {
  static constexpr FormatName format = FormatName::bdia;
  static constexpr char const* name = "bdia";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    auto const& s = in.structure;
    double const stored = in.rows() * static_cast<double>(s.num_diagonals);
    FormatEstimate e;
    e.gathers_x = false;
    e.matrix_bytes = stored * in.scalar();
    e.fill = in.fill(stored);
    e.basis =
        detail::formatted("%lld diagonals in %lld bands, fill %.2f", static_cast<long long>(s.num_diagonals),
                          static_cast<long long>(s.num_bands), e.fill);
    e.model = in.on_host() ? FormatModel{1.0, 7, 1} : gpu_model(in);
    if (in.on_host()) e.core_seconds = 1e-9 * 0.1 * in.rows();
    return e;
  }

 private:
  /// Several narrow bands are multiplied diagonal by diagonal.
  static FormatModel gpu_model(EstimateInput const& in) {
    auto const bands = static_cast<double>(in.structure.num_bands);
    if (bands <= 1) return {in.is_single() ? 1.0 : 1.07, 6, 1};
    double const by_length = in.has_short_rows()                          ? 0.94
                             : in.structure.mean_row_length / bands <= 16 ? 1.0
                                                                          : 1.04;
    return {by_length * (in.is_single() ? 0.94 : 1.0), 6, 1};
  }
};

}  // namespace einkorn
