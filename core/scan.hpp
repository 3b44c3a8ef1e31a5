// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class View>
struct CountsToOffsets {
  using Count = typename View::non_const_value_type;

  View view;
  std::size_t size;

  KOKKOS_FUNCTION void operator()(std::size_t i, Count& before, bool is_final) const {
    Count const count = i + 1 < size ? view(i) : Count(0);
    if (is_final) view(i) = before;
    before += count;
  }
};

/// As counts_to_offsets(); asynchronous without a total.
template <class Exec, class View, class... Total>
void launch_counts_to_offsets(Exec const& exec, View const& view, Total&... total) {
  auto const size = view.extent(0);
  range_scan<std::size_t>("einkorn::counts_to_offsets", exec, size, CountsToOffsets<View>{view, size},
                          total...);
}

}  // namespace detail

/// Exclusive prefix sum in place: view(i) <- view(0) + ... + view(i - 1). The last entry is not read and
/// becomes the total.
/// @param view [n + 1], the first n entries are counts
/// @return the total
///
/// 1 launch; fences exec.
template <class Exec, class View>
typename View::non_const_value_type counts_to_offsets(Exec const& exec, View const& view) {
  typename View::non_const_value_type total(0);
  detail::launch_counts_to_offsets(exec, view, total);
  return total;
}

}  // namespace einkorn
