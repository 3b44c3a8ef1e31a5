// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/coo/coo_tuning.hpp>
#include <einkorn/formats/coo/detail/entry_parts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Workspace of a plan for products with a COO.
template <class Ordinal, class Offset, class Device, class Sum>
struct CooWorkspace {
  EntryParts<Ordinal, Offset, Device> parts;
  Kokkos::View<Sum*, Device> carry;  // [num_parts * columns]: sum of a row that began in an earlier part
  bool has_long_runs = false;        // of parts that share a row (max_short_carry_run)
  bool has_long_gaps = false;        // y is scaled by a separate kernel

  [[nodiscard]] std::size_t bytes() const { return carry.extent(0) * sizeof(Sum); }
};

template <class Format>
struct FindLongestGap {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  decltype(Format::rows) rows;
  Offset nnz;
  Ordinal num_rows;

  KOKKOS_FUNCTION void operator()(Offset k, Ordinal& longest) const {
    Ordinal const before = k > 0 ? rows(k - 1) : Ordinal(-1), after = k < nnz ? rows(k) : num_rows;
    if (after - before - 1 > longest) longest = after - before - 1;
  }
};

/// The longest run of empty rows, including those before the first and after the last entry. Fences exec.
template <class Exec, class Format>
typename Format::ordinal_type longest_gap(Exec const& exec, Format const& F) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Ordinal longest = 0;
  Offset const nnz = F.nnz();
  Ordinal const num_rows = F.num_rows;
  auto const rows = F.rows;
  range_reduce<Offset>("einkorn::make_spmv_plan[coo,gaps]", exec, nnz + 1,
                       FindLongestGap<Format>{rows, nnz, num_rows}, Kokkos::Max<Ordinal>(longest));
  return longest;
}

template <class Parts>
struct FindLongRun {
  using Offset = typename Parts::offset_type;

  Parts parts;

  KOKKOS_FUNCTION void operator()(Offset part, int& any) const {
    if (parts.rows(part * parts.size) == parts.rows((part + max_short_carry_run) * parts.size)) any = 1;
  }
};

/// Whether some row begins more than max_short_carry_run consecutive parts. Fences exec.
template <class Exec, class Parts>
bool has_long_runs(Exec const& exec, Parts const& parts) {
  using Offset = typename Parts::offset_type;
  if (parts.num_parts <= max_short_carry_run) return false;
  int found = 0;
  range_reduce<Offset>("einkorn::make_spmv_plan[coo,runs]", exec, parts.num_parts - max_short_carry_run,
                       FindLongRun<Parts>{parts}, Kokkos::Max<int>(found));
  return found > 0;
}

/// Makes the workspace. writes_y: whether the product may write y in its own kernel. 1 allocation; reads rows
/// once if writes_y. Fences exec.
template <class Sum, class Exec, class Format>
CooWorkspace<typename Format::ordinal_type, typename Format::offset_type, typename Format::device_type, Sum>
make_coo_workspace(Exec const& exec, Format const& F, bool writes_y) {
  CooWorkspace<typename Format::ordinal_type, typename Format::offset_type, typename Format::device_type, Sum>
      workspace;
  workspace.parts = make_entry_parts(exec, F);
  auto const columns = static_cast<std::size_t>(is_gpu<Exec> ? coo_columns_at_once : 1);
  workspace.carry = allocate<decltype(workspace.carry)>(
      exec, "einkorn::SpmvPlan[coo]::carry", static_cast<std::size_t>(workspace.parts.num_parts) * columns);
  if (F.nnz() == 0) return workspace;
  workspace.has_long_runs = has_long_runs(exec, workspace.parts);
  workspace.has_long_gaps = !writes_y ||
                            static_cast<std::size_t>(F.num_rows) > static_cast<std::size_t>(F.nnz()) ||
                            longest_gap(exec, F) > coo_max_gap;
  return workspace;
}

}  // namespace einkorn::detail
