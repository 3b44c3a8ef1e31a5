// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The number of stripes, and of columns in their lists, that begin before a row.
template <class Ordinal, class Offset>
struct StripesBefore {
  Ordinal stripes = 0;
  Offset columns = 0;

  KOKKOS_FUNCTION StripesBefore& operator+=(StripesBefore const& more) {
    stripes += more.stripes;
    columns += more.columns;
    return *this;
  }
};

/// b, rc and rv from the first rows of the stripes, by one scan over the rows: the index of a stripe is the
/// number of stripes that begin before it.
template <class Format, class Matrix, class Starts>
struct NumberStripes {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;
  Starts starts;

  KOKKOS_FUNCTION void operator()(Ordinal row, StripesBefore<Ordinal, Offset>& before, bool is_final) const {
    if (starts(row) != 0) {
      Offset const begin = A.row_begin(row);
      if (is_final) {
        F.b(before.stripes) = row;
        F.rc(before.stripes) = before.columns;
        F.rv(before.stripes) = begin;
      }
      ++before.stripes;
      before.columns += A.row_end(row) - begin;
    }
    if (is_final && row + 1 == F.num_rows) {
      F.b(before.stripes) = F.num_rows;
      F.rc(before.stripes) = before.columns;
    }
  }
};

template <class Format, class Matrix>
struct CopyStripeColumns {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const k = static_cast<Offset>(i);
    Ordinal const stripe = row_of_entry(F.rc, F.num_stripes(), k);
    F.c(i) = A.columns(F.rv(stripe) + (k - F.rc(stripe)));
  }
};

/// Fills b, rc, rv and c, which have their final extents. c is copied with equal numbers of entries per
/// thread (GPU: one), which finds its first stripe by binary search in rc: balanced for lists of any length. 2 launches.
template <class Exec, class Format, class Matrix, class Starts>
void build_stripes(Exec const& exec, Format const& F, Matrix const& A, Starts const& starts) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  if (F.num_rows == 0) {
    fill_vector(exec, F.b, Ordinal(0));
    fill_vector(exec, F.rc, Offset(0));
    return;
  }
  range_scan<Ordinal>("einkorn::from_csr[brcv,number]", exec, F.num_rows,
                      NumberStripes<Format, Matrix, Starts>{F, A, starts});
  char const* const label = "einkorn::from_csr[brcv,columns]";
  if constexpr (is_gpu<Exec>)
    range_for<std::size_t>(label, exec, F.c.extent(0), CopyStripeColumns<Format, Matrix>{F, A});
  else
    for_each_chunk(label, exec, static_cast<std::int64_t>(F.c.extent(0)),
                   [&](std::size_t, std::int64_t begin, std::int64_t end) {
                     auto k = static_cast<Offset>(begin);
                     if (begin == end) return;
                     for (Ordinal stripe = row_of_entry(F.rc, F.num_stripes(), k); k < static_cast<Offset>(end);
                          ++stripe)
                       for (; k < F.rc(stripe + 1) && k < static_cast<Offset>(end); ++k)
                         F.c(k) = A.columns(F.rv(stripe) + (k - F.rc(stripe)));
                   });
}

}  // namespace einkorn::detail
