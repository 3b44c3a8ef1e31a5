// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// A matrix in coordinate format: entry k is values(k) in row rows(k) and column columns(k).
///
/// Entries are sorted by row. Within a row they may have any order, and positions may repeat (values are
/// summed).
///
/// Invariants: rows, columns and values have nnz() entries; rows is non-decreasing; 0 <= rows(k) < num_rows,
/// 0 <= columns(k) < num_cols. A Coo may be filled by the caller; validate() (validate.hpp) checks all
/// invariants on the device. Source: Bell & Garland, NVIDIA NVR-2008-004, section 3.4.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Coo {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Coo: Ordinal must be signed");
  static_assert(!std::is_const_v<Scalar>, "einkorn::Coo: owns its values");

  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;

  Ordinal num_rows = 0, num_cols = 0;
  Kokkos::View<Ordinal*, Device> rows;     // [nnz]
  Kokkos::View<Ordinal*, Device> columns;  // [nnz]
  Kokkos::View<Scalar*, Device> values;    // [nnz]
  Fingerprint source;                      // of the CSR given to from_csr

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(values.extent(0)); }
  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + (rows.extent(0) + columns.extent(0)) * sizeof(Ordinal);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("rows", rows);
    visit("columns", columns);
    visit("values", values);
  }
};

}  // namespace einkorn
