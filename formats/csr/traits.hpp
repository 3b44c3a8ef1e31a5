// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/format_traits.hpp>

#include <cmath>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Csr;

template <>
struct FormatTraits<Csr> {
  static constexpr FormatName format = FormatName::csr;
  static constexpr char const* name = "csr";
  static constexpr bool has_fused_apply = true;

  static FormatEstimate estimate(EstimateInput const& in) {
    FormatEstimate e;
    e.matrix_bytes = in.entries() * (in.scalar() + in.ordinal()) + (in.rows() + 1) * in.offset();
    e.basis = in.uniform_rows ? "rows of similar length" : "rows of very different lengths";
    if (in.on_host()) {  // the end of a row is mispredicted if its length differs from that of the previous row
      double const mispredicted = in.rows() * std::fmin(1.0, 0.5 * in.structure.row_length_deviation);
      e.model = {1.0, 0, 1};
      e.core_seconds = in.is_single() ? 1e-9 * (0.1 * in.entries() + 2.5 * in.rows() + 4.0 * mispredicted)
                                      : 1e-9 * (0.05 * in.entries() + 1.5 * in.rows() + 3.5 * mispredicted);
    } else {
      e.model = gpu_model(in);
    }
    return e;
  }

 private:
  /// Rows of different lengths: nonzero_split takes one launch, segmented_sum two.
  static FormatModel gpu_model(EstimateInput const& in) {
    bool const one_launch = in.structure.nnz <= max_nonzero_split_entries;
    if (!in.uniform_rows) return {in.structure.mean_row_length < 4 ? 0.90 : 0.87, 0, one_launch ? 1 : 2};
    double const by_length = in.has_short_rows() ? 1.02 : in.has_long_rows() ? 0.97 : 0.98;
    return {by_length * (in.is_single() ? 0.88 : 1.0), 0, 1};
  }
};

}  // namespace einkorn
