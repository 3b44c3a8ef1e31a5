// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/distributed/detail/split_rows.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::detail {

/// DistributedCsr::ghosts_before.
template <class Offset>
std::vector<Offset> count_ghosts_before(std::vector<Offset> const& ghost_entries, std::size_t entries,
                                        std::size_t entries_per_chunk) {
  auto const chunks = ceil_div(entries, entries_per_chunk);
  auto before = allocate_vector<Offset>("einkorn::DistributedCsr::ghosts_before", chunks + 1);
  for (auto const k : ghost_entries) ++before[static_cast<std::size_t>(k) / entries_per_chunk + 1];
  for (std::size_t c = 0; c < chunks; ++c) before[c + 1] = static_cast<Offset>(before[c + 1] + before[c]);
  return before;
}

template <class Device, class T>
Kokkos::View<T const*, Device> copy_part(char const* array, std::vector<T> const& from) {
  return copy_to_device<Kokkos::View<T*, Device>>(joined("einkorn::DistributedCsr::", array).c_str(), from);
}

/// HaloPlan::send_rows on the device.
template <class Ordinal, class Device>
Kokkos::View<Ordinal const*, Device> copy_send_rows(std::vector<std::int64_t> const& send_rows) {
  std::vector<Ordinal> rows;
  reserve(rows, "einkorn::DistributedCsr::send_rows", send_rows.size());
  for (auto const row : send_rows) rows.push_back(static_cast<Ordinal>(row));
  return copy_part<Device>("send_rows", rows);
}

/// The part of rank comm.rank(), with uninitialized values.
/// @param row_offsets, columns  of DistributedCsr::local, on Device
/// @param split                 the other arrays, except ghost_ids, which are in halo
template <class Scalar, class Exec, class Ordinal, class Offset, class Device>
DistributedCsr<Scalar, Ordinal, Offset, Device> assemble(Exec const& exec, Communicator const& comm,
                                                         RowBlocks const& blocks,
                                                         Kokkos::View<Offset const*, Device> const& row_offsets,
                                                         Kokkos::View<Ordinal const*, Device> const& columns,
                                                         SplitRows<Ordinal, Offset> const& split,
                                                         HaloPlan const& halo) {
  using Matrix = DistributedCsr<Scalar, Ordinal, Offset, Device>;
  using Values = Kokkos::View<Scalar*, Device>;
  auto const rows = static_cast<Ordinal>(blocks.size(comm.rank()));
  auto const num_local = columns.extent(0), num_ghost = split.ghost_columns.size();
  Matrix A{comm, blocks, {}, {}, {}, halo, {}, {}, {}};
  A.local = {rows, rows, row_offsets, columns,
             allocate<Values>(exec, "einkorn::DistributedCsr::local.values", num_local)};
  A.ghost = {static_cast<Ordinal>(split.boundary_rows.size()), static_cast<Ordinal>(halo.ghost_ids.size()),
             copy_part<Device>("ghost.row_offsets", split.ghost_offsets),
             copy_part<Device>("ghost.columns", split.ghost_columns),
             allocate<Values>(exec, "einkorn::DistributedCsr::ghost.values", num_ghost)};
  A.boundary_rows = copy_part<Device>("boundary_rows", split.boundary_rows);
  A.send_rows = copy_send_rows<Ordinal, Device>(halo.send_rows);
  A.ghost_entries = copy_part<Device>("ghost_entries", split.ghost_entries);
  A.ghosts_before = copy_part<Device>(
      "ghosts_before",
      count_ghosts_before(split.ghost_entries, num_local + num_ghost, Matrix::entries_per_chunk));
  return A;
}

}  // namespace einkorn::detail
