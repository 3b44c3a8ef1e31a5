// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/fingerprint.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>
#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// Scratch of the host threads for the values of C: either an accumulator per column, or a rank table for the
/// longest row.
template <class Scalar, class Ordinal, class Device>
struct HostScratch {
  template <class T>
  using PerThread = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::memory_space>;
  PerThread<Scalar> accumulators;
  PerThread<Ordinal> keys;
  PerThread<RankedColumns> ranked_columns;
  Kokkos::View<std::uint64_t*, typename Device::memory_space> products;  // offsets, [rows + 1]

  [[nodiscard]] std::size_t bytes() const {
    return accumulators.size() * sizeof(Scalar) + keys.size() * sizeof(Ordinal) +
           ranked_columns.size() * sizeof(RankedColumns) + products.size() * sizeof(std::uint64_t);
  }
};

/// The data of a plan for C = A B. teams_on_host: its phases are also compiled for row_teams on the host.
template <class Scalar, class Ordinal, class Offset, class Device, bool teams_on_host = false>
struct SpgemmState {
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  static constexpr bool has_teams_on_host = teams_on_host;

  Ordinal num_rows = 0, num_cols = 0;  // of C
  Kokkos::View<Offset*, Device> row_offsets;
  Kokkos::View<Ordinal*, Device> columns;
  SpgemmOptions options;
  SpgemmReport report;
  Fingerprint left, right;  // of A and B
  SpgemmPath path = SpgemmPath::empty;
  bool sorted_rows = false;                           // of B and C; row_teams and row_classes
  int segment_lanes = 1;                              // lanes per row of B, for the values
  ScatterMap<Ordinal, Device> scatter_map;            // row_classes, if it exists
  NumericSchedule<Ordinal, Device> schedule;          // row_teams, and row_classes without a map
  Kokkos::View<Ordinal*, Device> lists;               // small products: memory of the lists of rows
  std::shared_ptr<void const> totals;                 // CountTotals: kept, because freeing it waits for exec
  HostScratch<Scalar, Ordinal, Device> host_scratch;  // host_rows
};

/// The state of a plan for A B. COffset: void for A's.
template <class COffset, class AMatrix, class BMatrix, bool teams_on_host = false>
using SpgemmStateFor = SpgemmState<
    std::remove_cvref_t<decltype(typename AMatrix::scalar_type() * typename BMatrix::scalar_type())>,
    typename AMatrix::ordinal_type,
    std::conditional_t<std::is_void_v<COffset>, typename AMatrix::offset_type, COffset>,
    typename AMatrix::device_type, teams_on_host>;

/// Whether host_rows can be used.
template <class Exec, class Device>
inline constexpr bool is_host_product =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename Device::memory_space>::accessible &&
    !is_gpu<Exec>;

/// Whether the phases of a plan are compiled for row_teams. On the host `automatic` never chooses it, and its
/// kernels are most of the code.
template <class Exec, class State>
inline constexpr bool has_row_teams =
    !is_host_product<Exec, typename State::Matrix::device_type> || State::has_teams_on_host;

template <class Matrix>
std::string size_of(Matrix const& M) {
  return std::to_string(M.num_rows) + " x " + std::to_string(M.num_cols);
}

/// Throws OutOfMemory if `needed` bytes exceed options.workspace_limit.
inline void require_workspace(SpgemmOptions const& options, std::size_t needed) {
  require<OutOfMemory>(needed <= options.workspace_limit, [&] {
    return "spgemm: a workspace_limit of " + std::to_string(options.workspace_limit) + " bytes; at least " +
           std::to_string(needed) + " are needed";
  });
}

template <class Counts>
struct SumCounts {
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const {
    sum += static_cast<std::uint64_t>(counts(i));
  }
};

/// plan.row_offsets: entries per row -> offsets; allocates plan.columns. Throws OverflowError.
/// @param entries of C
template <class Exec, class State>
void allocate_pattern(Exec const& exec, State& plan, std::uint64_t entries) {
  using COffset = typename decltype(plan.row_offsets)::non_const_value_type;
  require<OverflowError>(entries <= static_cast<std::uint64_t>(std::numeric_limits<COffset>::max()), [&] {
    return "spgemm: C has " + std::to_string(entries) +
           " entries, which its Offset does not hold; spgemm<std::int64_t>() or spgemm<std::size_t>() would "
           "do";
  });
  launch_counts_to_offsets(exec, plan.row_offsets);
  plan.columns = allocate<decltype(plan.columns)>(exec, "einkorn::spgemm::columns", entries);
}

/// As above; counts the entries first. Fences exec.
template <class Exec, class State>
void allocate_pattern(Exec const& exec, State& plan) {
  using Offsets = decltype(plan.row_offsets);
  std::uint64_t entries = 0;
  range_reduce<std::size_t>("einkorn::spgemm[entries]", exec, static_cast<std::size_t>(plan.num_rows),
                            SumCounts<Offsets>{plan.row_offsets}, entries);
  allocate_pattern(exec, plan, entries);
}

}  // namespace einkorn::detail
