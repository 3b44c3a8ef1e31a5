// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/io/triplets.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace einkorn {

namespace detail {

/// Copies a host array to the device.
template <class View, class T>
View copy_to_device(char const* label, std::vector<T> const& from) {
  View const to = allocate<View>(typename View::execution_space(), label, from.size());
  Kokkos::deep_copy(
      to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  return to;
}

/// The permutation `before`, sorted stably by key: one counting pass, O(entries + keys).
template <class Index>
std::vector<std::size_t> stable_order(std::vector<Index> const& keys, std::size_t num_keys,
                                      std::vector<std::size_t> const& before) {
  auto first = allocate_vector<std::size_t>("einkorn::csr_from_triplets: counts", num_keys + 1);
  auto order = allocate_vector<std::size_t>("einkorn::csr_from_triplets: order", keys.size());
  for (Index const key : keys) ++first[static_cast<std::size_t>(key) + 1];
  for (std::size_t i = 0; i < num_keys; ++i) first[i + 1] += first[i];
  for (std::size_t const k : before) order[first[static_cast<std::size_t>(keys[k])]++] = k;
  return order;
}

}  // namespace detail

/// A Csr on the device from a list of entries on the host, with sorted columns; repeated positions are added up
/// in the order of the list.
///
/// @throws InvalidStructure for lists of different lengths or an index out of range, with its position in the
/// list
/// @throws OverflowError if there are more entries than Offset counts
/// @throws OutOfMemory
///
/// Cost: two counting sorts on one host thread, one copy to the device. Deterministic.
template <class Offset, class Device, class Scalar, class Ordinal>
Csr<Scalar, Ordinal, Offset, Device> csr_from_triplets(Triplets<Scalar, Ordinal> const& triplets) {
  require_kokkos("csr_from_triplets");
  auto const& [num_rows, num_cols, rows, columns, values] = triplets;
  auto const size = values.size();
  require<InvalidStructure>(
      rows.size() == size && columns.size() == size && num_rows >= 0 && num_cols >= 0,
      "csr_from_triplets: rows, columns and values differ in length, or a size is negative");
  for (std::size_t k = 0; k < size; ++k)
    if (rows[k] < 0 || rows[k] >= num_rows || columns[k] < 0 || columns[k] >= num_cols)
      throw InvalidStructure("csr_from_triplets: entry " + std::to_string(k) + " lies at (" +
                             std::to_string(rows[k]) + ", " + std::to_string(columns[k]) + ") of a " +
                             std::to_string(num_rows) + " x " + std::to_string(num_cols) + " matrix");
  require<OverflowError>(size <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()), [&] {
    return "csr_from_triplets: " + std::to_string(size) +
           " entries do not fit Offset; int64_t or size_t would do";
  });
  auto order = allocate_vector<std::size_t>("einkorn::csr_from_triplets: order", size);
  for (std::size_t k = 0; k < size; ++k) order[k] = k;
  order = detail::stable_order(columns, static_cast<std::size_t>(num_cols), order);
  order = detail::stable_order(rows, static_cast<std::size_t>(num_rows), order);

  auto csr_offsets = allocate_vector<Offset>("einkorn::csr_from_triplets: row_offsets",
                                             static_cast<std::size_t>(num_rows) + 1);
  std::vector<Ordinal> csr_columns;
  std::vector<Scalar> csr_values;
  reserve(csr_columns, "einkorn::csr_from_triplets: columns", size);
  reserve(csr_values, "einkorn::csr_from_triplets: values", size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const k = order[i];
    if (i > 0 && rows[k] == rows[order[i - 1]] && columns[k] == columns[order[i - 1]]) {
      csr_values.back() += values[k];
      continue;
    }
    csr_columns.push_back(columns[k]);
    csr_values.push_back(values[k]);
    ++csr_offsets[static_cast<std::size_t>(rows[k]) + 1];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_rows); ++i) csr_offsets[i + 1] += csr_offsets[i];
  using Result = Csr<Scalar, Ordinal, Offset, Device>;
  return Result{num_rows, num_cols,
                detail::copy_to_device<Kokkos::View<Offset*, Device>>("einkorn::Csr::row_offsets", csr_offsets),
                detail::copy_to_device<Kokkos::View<Ordinal*, Device>>("einkorn::Csr::columns", csr_columns),
                detail::copy_to_device<Kokkos::View<Scalar*, Device>>("einkorn::Csr::values", csr_values)};
}

}  // namespace einkorn
