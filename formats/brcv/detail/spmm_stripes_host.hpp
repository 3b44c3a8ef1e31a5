// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/brcv/detail/host_rows.hpp>
#include <einkorn/formats/spmm/detail/host_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Y <- alpha A X + beta Y for row-major X and Y (host). Parts of equal work; within a stripe
/// rows_times_matrix() computes 8 rows at a time (4 if there is no SIMD register for Sum).
template <class Format, class X, class Y, class Sum>
struct SpmmStripesHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr int max_rows = has_register<Sum, simd_lanes<Sum>> ? 8 : 4;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Ordinal num_parts;

  void operator()(Ordinal part) const {
    for_each_stripe_of_part(F, part, num_parts, [this](Ordinal stripe, Ordinal row, Ordinal end) {
      for (; end - row >= max_rows; row += max_rows) multiply<max_rows>(stripe, row);
      for (; end - row >= 2; row += 2) multiply<2>(stripe, row);
      if (row < end) multiply<1>(stripe, row);
    });
  }

 private:
  /// Row access to consecutive rows of a stripe from `first` on.
  struct RowsOfStripe {
    Ordinal const* columns;
    Scalar const* values;
    Offset num_entries;
    Ordinal first;

    [[nodiscard]] Offset length() const { return num_entries; }
    [[nodiscard]] Ordinal column(Offset j) const { return columns[j]; }
    [[nodiscard]] Scalar value(int r, Offset j) const {
      return values[static_cast<Offset>(r) * num_entries + j];
    }
    [[nodiscard]] Ordinal row(int r) const { return first + static_cast<Ordinal>(r); }
  };

  template <int num_rows>
  void multiply(Ordinal stripe, Ordinal row) const {
    rows_times_matrix<num_rows>(
        RowsOfStripe{F.c.data() + F.rc(stripe), F.values.data() + F.row_begin(stripe, row),
                     F.row_length(stripe), row},
        x, y, epilogue);
  }
};

template <class Exec, class Format, class X, class Y, class Sum>
void spmm_stripes_host(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                       Y const& y) {
  auto const parts = static_cast<typename Format::ordinal_type>(host_parts(exec));
  for_each_part(exec, "einkorn::spmv[brcv]", static_cast<std::int64_t>(parts),
                SpmmStripesHost<Format, X, Y, Sum>{F, x, y, epilogue, parts});
}

}  // namespace einkorn::detail
