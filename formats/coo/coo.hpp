// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// Coordinates: entry k is values(k) in row rows(k), column columns(k). The entries lie row after row, so that
/// those of a row are neighbours; within a row they may have any order, and a position may repeat (its values
/// add up).
///
/// Invariants: rows, columns and values have nnz() entries; rows does not decrease; 0 <= rows(k) < num_rows,
/// 0 <= columns(k) < num_cols. validate() (validate.hpp) checks all of it on the device: a Coo may be filled by
/// hand. Source: Bell & Garland, NVIDIA NVR-2008-004, section 3.4.
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
  Fingerprint source;                      // of the CSR that it was made from

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(values.extent(0)); }
  /// Memory of the format.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + (rows.extent(0) + columns.extent(0)) * sizeof(Ordinal);
  }
  /// visit(name, array) for each array of the matrix.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("rows", rows);
    visit("columns", columns);
    visit("values", values);
  }
};

}  // namespace einkorn
