// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/coo/coo_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The entries of a COO in nonempty parts of equal length, independent of row boundaries.
template <class Ordinal, class Offset, class Device>
struct EntryParts {
  using offset_type = Offset;

  Offset num_entries = 0, size = 1, num_parts = 0;
  Kokkos::View<Ordinal const*, Device> rows;  // [num_entries]

  KOKKOS_FORCEINLINE_FUNCTION Offset first_entry(Offset part) const {
    return part < num_parts ? part * size : num_entries;
  }
  /// The row of the entry before the part, -1 if there is none. The row continues in the part if the first
  /// entry of the part belongs to it.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_before(Offset part) const {
    return part > 0 ? rows(part * size - 1) : Ordinal(-1);
  }

  /// The parts in which a row continues, if this is the first of them; else empty (a callable for add_carry).
  KOKKOS_FUNCTION CarryRun<Ordinal, Offset> operator()(Offset part) const {
    Ordinal const row = row_before(part);
    if (part == 0 || rows(part * size) != row || row_before(part - 1) == row) return {};
    Offset const next = part + 1;
    if (next == num_parts || rows(next * size) != row) return {row, part, 1};  // the common case: no search
    auto const begins_with_row = [&](Offset other) { return rows(other * size) == row; };
    return {row, part, partition_point_index(next, num_parts, begins_with_row) - part};
  }
};

/// One part per warp on a GPU; host_parts() parts on the host.
template <class Exec, class Format>
EntryParts<typename Format::ordinal_type, typename Format::offset_type, typename Format::device_type>
make_entry_parts([[maybe_unused]] Exec const& exec, Format const& F) {
  using Offset = typename Format::offset_type;
  Offset const nnz = F.nnz();
  Offset size;
  if constexpr (is_gpu<Exec>) {
    size = static_cast<Offset>(Lanes<Exec>::size *
                               coo_steps_per_part(static_cast<std::size_t>(nnz), Lanes<Exec>::size));
  } else {
    auto const parts = static_cast<Offset>(host_parts(exec));
    size = nnz / parts + (nnz % parts != 0);
    if (size == 0) size = 1;
  }
  return {nnz, size, static_cast<Offset>(nnz / size + (nnz % size != 0)), F.rows};
}

}  // namespace einkorn::detail
