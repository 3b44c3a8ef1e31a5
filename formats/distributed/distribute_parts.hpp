// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/distributed/detail/assemble.hpp>
#include <einkorn/formats/distributed/detail/split_rows.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

template <class Exec, class Matrix>
void require_parts(Exec const& exec, RowBlocks const& blocks, int rank, Matrix const& local,
                   Matrix const& ghost, std::size_t num_ghosts) {
  using Offset = typename Matrix::offset_type;
  require_kokkos("distribute_parts");
  auto const rows = blocks.size(rank);
  auto const text = [](auto number) { return std::to_string(number); };
  require<DimensionMismatch>(std::cmp_equal(local.num_rows, rows) && std::cmp_equal(local.num_cols, rows), [&] {
    return "distribute_parts: local is " + text(local.num_rows) + " x " + text(local.num_cols) + ", expected " +
           text(rows) + " x " + text(rows) + ", the owned rows";
  });
  require<DimensionMismatch>(
      std::cmp_equal(ghost.num_rows, rows) && std::cmp_equal(ghost.num_cols, num_ghosts), [&] {
        return "distribute_parts: ghost is " + text(ghost.num_rows) + " x " + text(ghost.num_cols) +
               ", expected " + text(rows) + " x " + text(num_ghosts) + ", the owned rows and the ghost_ids";
      });
  validate(exec, local);
  validate(exec, ghost);
  require_countable<Offset>("distribute_parts", local.values.extent(0) + ghost.values.extent(0),
                            "entries of the owned rows", "Offset");
}

/// The ids in ascending order.
/// @throws InvalidArgument for the first id that is out of range or owned; for the lowest id that occurs twice
inline std::vector<std::int64_t> sorted_ghost_ids(RowBlocks const& blocks, int rank,
                                                  std::vector<std::int64_t> const& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bool const is_row = 0 <= ids[i] && ids[i] < blocks.num_rows();
    require<InvalidArgument>(is_row && !blocks.owns(rank, ids[i]), [&] {
      return "distribute_parts: ghost_ids[" + std::to_string(i) + "] is " + std::to_string(ids[i]) +
             (is_row ? ", a row that the rank itself owns"
                     : ", expected 0 .. " + std::to_string(blocks.num_rows()) + " - 1");
    });
  }
  auto sorted = or_out_of_memory("einkorn::distribute_parts: ghost_ids", ids.size() * sizeof(std::int64_t),
                                 [&] { return ids; });
  std::sort(sorted.begin(), sorted.end());
  auto const repeated = std::adjacent_find(sorted.begin(), sorted.end());
  require<InvalidArgument>(repeated == sorted.end(), [&] {
    return "distribute_parts: ghost_ids has " + std::to_string(*repeated) + " twice, expected unique ids";
  });
  return sorted;
}

/// The rows of `ghost` with entries, with columns into ghost_ids (ascending) instead of given_ids.
template <class Ordinal, class Offset, class RowOffsets, class Columns>
void compress_ghost_rows(std::vector<std::int64_t> const& given_ids, RowOffsets const& row_offsets,
                         Columns const& columns, SplitRows<Ordinal, Offset>& split) {
  char const* const purpose = "einkorn::distribute_parts: ghost";
  auto const rows = row_offsets.extent(0) > 0 ? row_offsets.extent(0) - 1 : 0;
  std::size_t num_boundary = 0;
  for (std::size_t i = 0; i < rows; ++i) num_boundary += row_offsets(i + 1) > row_offsets(i);
  reserve(split.boundary_rows, purpose, num_boundary);
  reserve(split.ghost_offsets, purpose, num_boundary + 1);
  split.ghost_offsets.push_back(Offset(0));
  for (std::size_t i = 0; i < rows; ++i) {
    if (row_offsets(i + 1) == row_offsets(i)) continue;
    split.boundary_rows.push_back(static_cast<Ordinal>(i));
    split.ghost_offsets.push_back(row_offsets(i + 1));
  }
  reserve(split.ghost_columns, purpose, columns.extent(0));
  for (std::size_t k = 0; k < columns.extent(0); ++k)
    split.ghost_columns.push_back(
        index_of_ghost<Ordinal>(split.ghost_ids, given_ids[static_cast<std::size_t>(columns(k))]));
}

/// As split_rows(), without the structure of local. The entries of the caller are those of local, then those of
/// ghost.
template <class Structure>
auto split_parts(RowBlocks const& blocks, int rank, std::size_t num_local_entries, Structure const& ghost,
                 std::vector<std::int64_t> const& ghost_ids) {
  using Offset = typename Structure::offset_type;
  SplitRows<typename Structure::ordinal_type, Offset> split;
  split.ghost_ids = sorted_ghost_ids(blocks, rank, ghost_ids);
  compress_ghost_rows(ghost_ids,
                      read_on_host("einkorn::distribute_parts: ghost.row_offsets", ghost.row_offsets),
                      read_on_host("einkorn::distribute_parts: ghost.columns", ghost.columns), split);
  split.ghost_entries =
      allocate_vector<Offset>("einkorn::distribute_parts: ghost entries", ghost.values.extent(0));
  for (std::size_t g = 0; g < split.ghost_entries.size(); ++g)
    split.ghost_entries[g] = static_cast<Offset>(num_local_entries + g);
  return split;
}

}  // namespace detail

/// The distributed matrix of which every rank passes the entries in owned and in other columns, as applications
/// and Tpetra store it. Collective.
/// @param blocks     the same on all ranks, one block per rank; the columns are distributed as the rows
/// @param local      owned rows x owned rows, local columns
/// @param ghost      owned rows x ghost_ids.size(): column g is global column ghost_ids[g]
/// @param ghost_ids  global columns that this rank does not own, in any order, unique. Columns without entries
///                   are allowed
/// The result shares row_offsets and columns with `local`, and no other memory. Its ghosts are in the order of
/// HaloPlan.
/// @throws InvalidArgument (ghost_ids), DimensionMismatch, InvalidStructure (as validate()), OverflowError,
/// OutOfMemory: the same on all ranks; names the lowest rank with an error
///
/// Cost: 2 launches that validate and 2 that copy the values; the structure of ghost and ghost_ids are read and
/// sorted on one host thread; make_halo_plan(). Fences exec. Deterministic.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
DistributedCsr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> distribute_parts(
    Exec const& exec, Communicator const& comm, RowBlocks const& blocks,
    Csr<Scalar, Ordinal, Offset, Device> const& local,
    std::type_identity_t<Csr<Scalar, Ordinal, Offset, Device>> const& ghost,
    std::vector<std::int64_t> const& ghost_ids) {
  detail::require_same_blocks("distribute_parts", comm, blocks);
  auto split = comm.collectively([&] {
    detail::require_parts(exec, blocks, comm.rank(), local, ghost, ghost_ids.size());
    return detail::split_parts(blocks, comm.rank(), local.values.extent(0), ghost, ghost_ids);
  });
  auto const halo = make_halo_plan(comm, blocks, std::move(split.ghost_ids));
  return comm.collectively([&] {
    auto const row_offsets =
        local.row_offsets.extent(0) > 0
            ? local.row_offsets
            : detail::copy_part<Device>("local.row_offsets",
                                        allocate_vector<Offset>("einkorn::distribute_parts", 1));
    auto const A = detail::assemble<std::remove_const_t<Scalar>>(exec, comm, blocks, row_offsets, local.columns,
                                                                 split, halo);
    detail::launch_convert_values(exec, local.values, A.local.values);
    detail::launch_convert_values(exec, ghost.values, A.ghost.values);
    exec.fence("einkorn::distribute_parts: the values may change from here on");
    return A;
  });
}

}  // namespace einkorn
