// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/brcv/brcv_tuning.hpp>
#include <einkorn/formats/brcv/detail/spmm_stripes.hpp>
#include <einkorn/formats/brcv/detail/spmm_stripes_host.hpp>
#include <einkorn/formats/brcv/detail/spmv_stripe_rows.hpp>
#include <einkorn/formats/brcv/detail/spmv_stripes_host.hpp>

namespace einkorn::detail {

/// Whether the SpMM kernels support these multivectors: row-major, at least brcv_min_spmm_columns columns.
template <class X, class Y>
bool uses_spmm_stripes(X const& x, Y const& y) {
  return y.extent(1) >= brcv_min_spmm_columns && is_row_major(x) && is_row_major(y);
}

/// y <- alpha A x + beta y in one launch.
/// @param chunks of the plan, or empty
template <class Exec, class Format, class X, class Y, class Sum, class Chunks>
void spmv_stripes(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x, Y const& y,
                  [[maybe_unused]] Chunks const& chunks) {
  if constexpr (Y::rank() == 2 && may_be_row_major<X, Y>) {
    if (uses_spmm_stripes(x, y)) {
      if constexpr (is_gpu<Exec>)
        return spmm_stripes_by_width(exec, epilogue, F, x, y, chunks);
      else
        return spmm_stripes_host(exec, epilogue, F, x, y);
    }
  }
  if constexpr (is_gpu<Exec>)
    spmv_stripe_rows_by_mean(exec, epilogue, F, x, y, chunks.marks);
  else
    spmv_stripes_host(exec, epilogue, F, x, y);
}

}  // namespace einkorn::detail
