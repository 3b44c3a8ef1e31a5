// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/distributed/halo_plan.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// The rows that one rank owns of a square matrix distributed in blocks of rows: y = A x of these rows is
///     y = local x_owned, then y(boundary_rows(b)) += (ghost x_ghost)(b) for every boundary row b
/// with the owned entries of x and the entries that HaloPlan `halo` receives.
///
/// local:  num_rows() x num_rows(), in the row order of the caller. The entries of a row that lie in owned
///         columns, in the order of the caller.
/// ghost:  one row per boundary row, one column per ghost. The other entries of these rows, in the order of the
///         caller.
///
/// Made by distribute_rows(), distribute_csr() or distribute_parts(); see also update_values() and
/// gather_csr(). Copied like a View.
template <class Scalar, class Ordinal, class Offset, class Device>
struct DistributedCsr {
  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;

  Communicator communicator;
  RowBlocks blocks;  // the same on all ranks
  Csr<Scalar, Ordinal, Offset, Device> local;
  Csr<Scalar, Ordinal, Offset, Device> ghost;
  Kokkos::View<Ordinal const*, Device>
      boundary_rows;  // [ghost.num_rows] local rows with entries in ghost, ascending
  HaloPlan halo;
  Kokkos::View<Ordinal const*, Device> send_rows;  // [halo.messages.num_sent()] halo.send_rows on the device

  // For update_values(): entry k of the caller is entry g of ghost if ghost_entries(g) == k, otherwise entry
  // k - g of local, where g is the number of ghost_entries below k. ghosts_before(c) is this number for
  // k = c entries_per_chunk.
  static constexpr std::size_t entries_per_chunk = 256;
  Kokkos::View<Offset const*, Device> ghost_entries;  // [ghost.nnz()] ascending
  Kokkos::View<Offset const*, Device> ghosts_before;  // [ceil(entries / entries_per_chunk) + 1]

  [[nodiscard]] std::int64_t num_global_rows() const { return blocks.num_rows(); }
  /// Owned rows.
  [[nodiscard]] Ordinal num_rows() const { return local.num_rows; }
  /// Columns of ghost.
  [[nodiscard]] Ordinal num_ghosts() const { return ghost.num_cols; }
  /// Entries of the owned rows.
  [[nodiscard]] std::size_t num_entries() const { return local.values.extent(0) + ghost.values.extent(0); }
  /// The global row of local row 0.
  [[nodiscard]] std::int64_t first_row() const { return blocks.begin(communicator.rank()); }

  /// Calls visit(name, array) for each array on the device.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("local.row_offsets", local.row_offsets);
    visit("local.columns", local.columns);
    visit("local.values", local.values);
    visit("ghost.row_offsets", ghost.row_offsets);
    visit("ghost.columns", ghost.columns);
    visit("ghost.values", ghost.values);
    visit("boundary_rows", boundary_rows);
    visit("send_rows", send_rows);
    visit("ghost_entries", ghost_entries);
    visit("ghosts_before", ghosts_before);
  }
};

namespace detail {

template <class T>
struct IsDistributedCsr : std::false_type {};
template <class Scalar, class Ordinal, class Offset, class Device>
struct IsDistributedCsr<DistributedCsr<Scalar, Ordinal, Offset, Device>> : std::true_type {};

}  // namespace detail

/// A DistributedCsr of any scalar and index types.
template <class T>
concept DistributedCsrMatrix = detail::IsDistributedCsr<T>::value;

}  // namespace einkorn
