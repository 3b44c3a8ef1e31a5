// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/distributed/detail/assemble.hpp>
#include <einkorn/formats/distributed/detail/split_rows.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/formats/distributed/update_values.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace einkorn {

namespace detail {

/// The rows of a rank after all checks. See distribute_rows().
template <class Ordinal, class Offset, class RowOffsets, class Columns, class Values>
SplitRows<Ordinal, Offset> read_and_split(char const* operation, RowBlocks const& blocks, int rank,
                                          RowOffsets const& row_offsets, Columns const& global_columns,
                                          Values const& values) {
  require_kokkos(operation);
  require_row_extents<Ordinal, Offset>(operation, blocks.size(rank), row_offsets.extent(0),
                                       global_columns.extent(0), values.extent(0));
  auto const offsets = read_on_host("einkorn::distribute_rows: row_offsets", row_offsets);
  require_row_offsets(operation, blocks.begin(rank), offsets, values.extent(0));
  auto const columns = read_on_host("einkorn::distribute_rows: global_columns", global_columns);
  return split_rows<Ordinal, Offset>(operation, blocks, rank, offsets, columns);
}

/// distribute_rows() with all types given.
template <class Scalar, class Ordinal, class Offset, class Device, class Exec, class RowOffsets, class Columns,
          class Values>
DistributedCsr<Scalar, Ordinal, Offset, Device> distribute_rows_as(
    char const* operation, Exec const& exec, Communicator const& comm, RowBlocks const& blocks,
    RowOffsets const& row_offsets, Columns const& global_columns, Values const& values) {
  require_same_blocks(operation, comm, blocks);
  auto split = comm.collectively([&] {
    return read_and_split<Ordinal, Offset>(operation, blocks, comm.rank(), row_offsets, global_columns, values);
  });
  auto const halo = make_halo_plan(comm, blocks, std::move(split.ghost_ids));
  return comm.collectively([&] {
    auto const A =
        assemble<Scalar>(exec, comm, blocks, copy_part<Device>("local.row_offsets", split.local_offsets),
                         copy_part<Device>("local.columns", split.local_columns), split, halo);
    auto const accessible = accessible_values<Device, Exec>(values);
    scatter_values(exec, A, accessible);
    exec.fence("einkorn::distribute_rows: values may change from here on");
    return A;
  });
}

}  // namespace detail

/// The distributed matrix of which every rank passes its own rows, with global columns. Collective.
/// @tparam Ordinal, Offset  of the result: local rows, columns and ghosts; entries of a rank
/// @param blocks          the same on all ranks, one block per rank; the columns are distributed as the rows
/// @param row_offsets     [owned rows + 1] from 0; [0] is allowed without rows. A View of integers
/// @param global_columns  [entries], in any order; positions may repeat. A View of std::int64_t
/// @param values          [entries]
/// All three are on the host (values contiguous) or where kernels of Exec access them. The result shares no
/// memory with them.
/// @throws InvalidArgument, DimensionMismatch, InvalidStructure (the first invalid offset, or column with its
/// row), OverflowError (counts that do not fit Ordinal or Offset), OutOfMemory: the same on all ranks; names
/// the lowest rank with an error
///
/// Cost: one host thread reads the structure four times and sorts the columns of ghosts, O(ghost entries
/// log(ghost entries)); a copy of the structure on the host if it is on a device; 1 launch for the values;
/// make_halo_plan(). Fences exec. Deterministic.
template <class Ordinal = int, class Offset = int, ExecutionSpace Exec, Vector RowOffsets, Vector Columns,
          Vector Values>
DistributedCsr<typename Values::non_const_value_type, Ordinal, Offset, typename Exec::device_type>
distribute_rows(Exec const& exec, Communicator const& comm, RowBlocks const& blocks,
                RowOffsets const& row_offsets, Columns const& global_columns, Values const& values) {
  static_assert(RowOffsets::rank() == 1 && Columns::rank() == 1 && Values::rank() == 1,
                "einkorn::distribute_rows: row_offsets, global_columns and values must be Views of rank 1");
  static_assert(std::is_same_v<typename Columns::non_const_value_type, std::int64_t>,
                "einkorn::distribute_rows: global_columns must be a View of std::int64_t");
  return detail::distribute_rows_as<typename Values::non_const_value_type, Ordinal, Offset,
                                    typename Exec::device_type>("distribute_rows", exec, comm, blocks,
                                                                row_offsets, global_columns, values);
}

}  // namespace einkorn
