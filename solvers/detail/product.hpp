// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/dots.hpp>
#include <einkorn/core/vector_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The sums of an UpdateAndDots over a y that is there.
template <class Out, class Y>
struct GatherDots {
  using Sums = typename Out::Sums;
  using Loaded = typename Y::non_const_value_type;

  Out out;
  Y y;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return y(i); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& value, bool, double* sums) const {
    out.gather(sums, i, value);
  }
};

/// y <- A x and the dot products of `out`: in one sweep where the operator has one, else y is read once more.
template <class Exec, class A, class Out, class X, class Y>
void product_and_dots(Exec const& exec, A const& a, Out const& out, X const& x, Y const& y) {
  if constexpr (requires { a.sweep(exec, out, x, y); }) {
    a.sweep(exec, out, x, y);
  } else {
    if (!out.ledger->counts_only) a.apply(exec, x, y);
    vector_sweep(exec, "einkorn::solve[dots]", y.extent(0), static_cast<typename Out::Sums const&>(out),
                 GatherDots<Out, Y>{out, y});
  }
}

}  // namespace einkorn::detail
