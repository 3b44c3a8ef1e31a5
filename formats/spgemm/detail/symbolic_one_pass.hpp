// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// Copies the columns of row i of C from memory where it begins at bounds(i).
template <class Offsets, class List>
struct CopyRowsOfBounds {
  Offsets bounds, offsets;
  List from, to;
  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t i) const {
    using Offset = typename Offsets::non_const_value_type;
    Offset const begin = offsets(i), source = bounds(i),
                 count = group.is_idle ? Offset(0) : static_cast<Offset>(offsets(i + 1) - begin);
    group.for_each(count, [&](Offset k) { to(begin + k) = from(source + k); });
  }
};

/// Counts and writes the columns of each row in memory for its upper bound, then copies them to plan.columns. False,
/// with nothing done, unless counts_while_writing(), there is such memory, and C's offsets hold the sum of the upper
/// bounds. on_counted(compressed_counts): as for fill_pattern(). Fences exec.
/// @param args  for counting; bins: of args.compressed_counts, which are exact afterwards
template <class Exec, class State, class Args, class OnCounted>
bool fill_pattern_in_one_pass(Exec const& exec, State& plan, Args args, SymbolicConfig const& config,
                              SymbolicBins<Args> const& bins, OnCounted const& on_counted) {
  using Offsets = decltype(plan.row_offsets);
  using List = decltype(plan.columns);
  constexpr auto max_offset =
      static_cast<std::uint64_t>(std::numeric_limits<typename Offsets::value_type>::max());
  if (!counts_while_writing(plan.report.products, args.B.compressed, plan.options.workspace_limit) ||
      plan.report.products > max_offset)
    return false;
  std::size_t const rows = args.compressed_counts.extent(0);
  Offsets bounds;
  List columns;
  try {
    bounds = allocate<Offsets>(exec, "einkorn::spgemm::offsets_of_bounds", rows + 1);
    columns = allocate<List>(exec, "einkorn::spgemm::columns_of_bounds", plan.report.products);
  } catch (OutOfMemory const&) {
    return false;
  }
  plan.report.workspace += bounds.extent(0) * sizeof(typename Offsets::value_type) +
                           columns.extent(0) * sizeof(typename List::value_type);
  range_for<std::size_t>("einkorn::spgemm[bounds]", exec, rows,
                         AssignEntry<Offsets, List>{bounds, args.compressed_counts});
  launch_counts_to_offsets(exec, bounds);
  args.offsets = bounds;
  args.columns = columns;
  args.counts = plan.row_offsets;
  args.counting = false;
  launch_symbolic(exec, args, config, bins.offsets);
  on_counted(args.compressed_counts);
  auto const mean = static_cast<double>(plan.columns.extent(0)) / static_cast<double>(rows);
  for_each_by_lanes(exec, "einkorn::spgemm[columns]", rows, lanes_for_mean<Exec>(mean),
                    CopyRowsOfBounds<Offsets, List>{bounds, plan.row_offsets, columns, plan.columns});
  exec.fence("einkorn::spgemm: the columns of the upper bounds are freed");
  return true;
}

}  // namespace einkorn::detail
