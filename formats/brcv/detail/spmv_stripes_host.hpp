// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/brcv/detail/host_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// SpMV in parts of equal work (host). Within a stripe 4 rows at a time with SIMD lanes over the entries: x is
/// gathered once for the 4 rows, which the patent at brcv.hpp does for SpMM only. The order of the sum of a row
/// does not depend on the rows computed with it.
template <class Format, class X, class Y, class Sum>
struct SpmvStripesHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr int W = simd_lanes<Sum>;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Ordinal num_parts;

  void operator()(Ordinal part) const {
    if constexpr (Y::rank() == 1)
      one_vector(part, x, y);
    else
      for (std::size_t j = 0; j < y.extent(1); ++j)
        one_vector(part, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j));
  }

 private:
  template <class From, class To>
  void one_vector(Ordinal part, From const& from, To const& to) const {
    for_each_stripe_of_part(F, part, num_parts, [&](Ordinal stripe, Ordinal row, Ordinal end) {
      for (; end - row >= 4; row += 4) rows_of_stripe<4>(stripe, row, from, to);
      for (; row < end; ++row) rows_of_stripe<1>(stripe, row, from, to);
    });
  }

  template <int count, class From, class To>
  void rows_of_stripe(Ordinal stripe, Ordinal row, From const& from, To const& to) const {
    Offset const length = F.row_length(stripe);
    Ordinal const* const list = F.c.data() + F.rc(stripe);
    Scalar const* const values = F.values.data() + F.row_begin(stripe, row);
    Sum sums[count] = {};
    Offset j = 0;
    if (length >= static_cast<Offset>(W)) {
      Simd<Sum, W> lanes[count];
      for (int r = 0; r < count; ++r) lanes[r] = Simd<Sum, W>::zero();
      for (; j + W <= length; j += W) {
        auto const accumulators = Simd<Sum, W>::gather(from, list + j);
        for (int r = 0; r < count; ++r)
          lanes[r].add_product(Simd<Sum, W>::load(values + static_cast<Offset>(r) * length + j), accumulators);
      }
      for (int r = 0; r < count; ++r) sums[r] = lanes[r].sum();
    }
    for (; j < length; ++j) {
      Sum const accumulators = Sum(from(list[j]));
      for (int r = 0; r < count; ++r)
        sums[r] += Sum(values[static_cast<Offset>(r) * length + j]) * accumulators;
    }
    for (int r = 0; r < count; ++r) epilogue(to(row + r), sums[r]);
  }
};

template <class Exec, class Format, class X, class Y, class Sum>
void spmv_stripes_host(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                       Y const& y) {
  auto const parts = static_cast<typename Format::ordinal_type>(host_parts(exec));
  for_each_part(exec, "einkorn::spmv[brcv]", static_cast<std::int64_t>(parts),
                SpmvStripesHost<Format, X, Y, Sum>{F, x, y, epilogue, parts});
}

}  // namespace einkorn::detail
