// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/fingerprint.hpp>
#include <einkorn/formats/spgemm/detail/rank_table.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>
#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The scratch of host threads for the values of C: sums of all columns, or hash tables of the longest row.
template <class Scalar, class Ordinal, class Device>
struct HostSumsScratch {
  template <class T>
  using PerThread = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::memory_space>;
  PerThread<Scalar> sums;
  PerThread<Ordinal> keys;
  PerThread<RankedColumns> words;
  Kokkos::View<std::uint64_t*, typename Device::memory_space> products;  // offsets, [rows + 1]

  [[nodiscard]] std::size_t bytes() const {
    return sums.size() * sizeof(Scalar) + keys.size() * sizeof(Ordinal) + words.size() * sizeof(RankedColumns) +
           products.size() * sizeof(std::uint64_t);
  }
};

/// All that a plan for C = A B keeps.
template <class Scalar, class Ordinal, class Offset, class Device>
struct SpgemmState {
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;

  Ordinal num_rows = 0, num_cols = 0;  // of C
  Kokkos::View<Offset*, Device> row_offsets;
  Kokkos::View<Ordinal*, Device> columns;
  SpgemmOptions options;
  SpgemmReport report;
  Fingerprint left, right;  // of A and B
  bool by_teams = false;
  bool narrow = false;                                    // rows of B and C are sorted
  int lanes = 1;                                          // a group, for the values
  ScatterMap<Ordinal, Device> places;                     // row_teams, where rows are alike
  SumsSchedule<Ordinal, Device> schedule;                 // row_teams, otherwise
  HostSumsScratch<Scalar, Ordinal, Device> host_scratch;  // host_rows
};

}  // namespace einkorn::detail
