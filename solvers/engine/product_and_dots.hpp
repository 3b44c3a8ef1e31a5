// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/kernel_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The sums of an EpilogueWithDots over a stored y.
template <class EpilogueOp, class Y>
struct DotsPass {
  using Sums = typename EpilogueOp::Sums;
  using Loaded = typename Y::non_const_value_type;

  EpilogueOp epilogue;
  Y y;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return y(i); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& value, bool, double* sums) const {
    epilogue.accumulate(sums, i, value);
  }
};

template <class Exec, class EpilogueOp, class Y>
void dots_pass(Exec const& exec, char const* label, Y const& y, typename EpilogueOp::Sums const& sums,
               EpilogueOp const& epilogue) {
  using Body = DotsPass<EpilogueOp, decltype(as_input(y))>;
  fused_pass(exec, label, y.extent(0), sums, Body{epilogue, as_input(y)});
}

/// y <- A x by apply(), one launch, then the dot products of `epilogue` in a pass over y.
template <class Exec, class EpilogueOp, class Y, class Apply>
void product_then_dots(Exec const& exec, EpilogueOp const& epilogue, Y const& y, Apply const& apply) {
  ++epilogue.layout->launches;
  if (!epilogue.layout->dry_run) apply();
  dots_pass(exec, "einkorn::solve[dots]", y, epilogue, epilogue);
}

/// y <- A x and the dot products of `epilogue`, in one pass if the operator has apply_fused(); else a pass over
/// y follows.
template <class Exec, class A, class EpilogueOp, class X, class Y>
void product_and_dots(Exec const& exec, A const& a, EpilogueOp const& epilogue, X const& x, Y const& y) {
  if constexpr (requires { a.apply_fused(exec, epilogue, x, y); })
    a.apply_fused(exec, epilogue, x, y);
  else
    product_then_dots(exec, epilogue, y, [&] { a.apply(exec, x, y); });
}

}  // namespace einkorn::detail
