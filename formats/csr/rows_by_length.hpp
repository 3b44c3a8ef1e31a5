// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/length_order.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

/// The rows of A, the longest first, so that neighbours are of like length: result(p) is the p-th of them. Rows
/// of one length stay in the order of A. With a window of w > 0 rows, rows 0 .. w - 1 are ordered among
/// themselves, then rows w .. 2w - 1, and so on, which keeps a row near its place; 0: all rows.
///
/// The same on every run and every backend. Cost: reads row_offsets twice; on a GPU a sort of num_rows 64-bit
/// keys, on the host a sort within each window, or counting when all rows are one window. On the device; fences
/// exec. Throws InvalidArgument (window < 0), OverflowError where rows times the longest row pass 2^64,
/// OutOfMemory. A is taken as valid (validate()). Source: rows sorted by their number of non-zeros so that a
/// warp's rows have like lengths, Huang, Ding & Luo, J. South China Univ. of Technology 43(11), 2015, section
/// 1.2; departures: descending, so that the longest rows begin first; stable; windows (sigma of Kreutzer et
/// al., SIAM J. Sci. Comput. 36(5), 2014).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Ordinal*, Device> rows_by_length(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                                              std::int64_t window = 0) {
  require_kokkos("rows_by_length");
  require<InvalidArgument>(window >= 0, [&] {
    return "rows_by_length: window is " + std::to_string(window) +
           ", expected a number of rows or 0 for all of them";
  });
  Kokkos::Profiling::ScopedRegion region("einkorn::rows_by_length");
  auto const num_rows = static_cast<std::size_t>(A.num_rows);
  auto const rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::rows_by_length", num_rows);
  if (num_rows == 0) return rows;
  Offset const longest = row_lengths(exec, A).longest;
  std::size_t const rows_a_window =
      window == 0 ? num_rows : std::min(static_cast<std::size_t>(window), num_rows);
  if constexpr (is_gpu<Exec>)
    detail::order_by_length_sorting(exec, A, rows_a_window, static_cast<std::uint64_t>(longest), rows);
  else if (rows_a_window == num_rows && static_cast<std::size_t>(longest) <= num_rows)
    detail::order_by_length_counting(exec, A, longest, rows);
  else
    detail::order_by_length_in_windows(exec, A, rows_a_window, rows);
  exec.fence("einkorn::rows_by_length: A may change from here on");
  return rows;
}

}  // namespace einkorn
