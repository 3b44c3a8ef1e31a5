// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/distributed/detail/scatter_slices.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

template <class T>
using HostArray = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class T>
HostArray<T> as_host_array(std::vector<T> const& list) {
  return HostArray<T>(list.data(), list.size());
}

/// Copies the matrix of root to the host. Empty on the other ranks.
template <class Scalar, class Ordinal, class Offset, class Device>
auto read_on_root(Communicator const& comm, int root, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  Matrix const on_root = comm.rank() == root ? A : Matrix();
  struct Arrays {
    decltype(read_on_host("", A.row_offsets)) row_offsets;
    decltype(read_on_host("", A.columns)) columns;
    decltype(read_on_host("", A.values)) values;
  };
  return Arrays{read_on_host("einkorn::distribute_csr: row_offsets", on_root.row_offsets),
                read_on_host("einkorn::distribute_csr: columns", on_root.columns),
                read_on_host("einkorn::distribute_csr: values", on_root.values)};
}

/// The slices of row_offsets and of the entries that the ranks own.
template <class RowOffsets>
std::pair<std::vector<Slice>, std::vector<Slice>> slices_of(RowBlocks const& blocks,
                                                            RowOffsets const& row_offsets) {
  auto const ranks = static_cast<std::size_t>(blocks.num_ranks());
  auto rows = allocate_vector<Slice>("einkorn::distribute_csr: slices", ranks);
  auto entries = rows;
  if (row_offsets.extent(0) == 0) return {rows, entries};
  for (std::size_t r = 0; r < ranks; ++r) {
    auto const begin = static_cast<std::size_t>(blocks.begin(static_cast<int>(r)));
    auto const end = static_cast<std::size_t>(blocks.end(static_cast<int>(r)));
    auto const first = static_cast<std::size_t>(row_offsets(begin));
    rows[r] = {begin, end - begin + 1};
    entries[r] = {first, static_cast<std::size_t>(row_offsets(end)) - first};
  }
  return {rows, entries};
}

/// Throws unless A is valid, square and has the rows of blocks.
template <class Exec, class Matrix>
void require_global_matrix(Exec const& exec, RowBlocks const& blocks, Matrix const& A) {
  require_kokkos("distribute_csr");
  require_square("distribute_csr", A.num_rows, A.num_cols);
  require<DimensionMismatch>(std::cmp_equal(A.num_rows, blocks.num_rows()), [&] {
    return "distribute_csr: A has " + std::to_string(A.num_rows) + " rows, blocks " +
           std::to_string(blocks.num_rows()) + ", expected the same";
  });
  validate(exec, A);
}

}  // namespace detail

/// The distributed matrix of a matrix that lies on one rank: sends the rows to their owners. Collective.
/// @param blocks  the same on all ranks, one block per rank
/// @param A       on root: square. Not read on the other ranks, which may pass Csr{}
/// @param root    the same on all ranks
/// @throws InvalidArgument, DimensionMismatch, InvalidStructure (as validate()), OverflowError, OutOfMemory:
/// the same on all ranks; names the lowest rank with an error
///
/// Cost: 3 exchanges of the matrix, then as distribute_rows(). On root up to two more copies of the largest
/// array of A on the host, and one of A if it is on a device. Fences exec. Deterministic.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
DistributedCsr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> distribute_csr(
    Exec const& exec, Communicator const& comm, RowBlocks const& blocks,
    Csr<Scalar, Ordinal, Offset, Device> const& A, int root = 0) {
  char const* const operation = "distribute_csr";
  using Value = std::remove_const_t<Scalar>;
  detail::require_same_blocks(operation, comm, blocks);
  detail::require_same_root(operation, comm, root);
  bool const is_root = comm.rank() == root;
  comm.collectively([&] {
    if (is_root) detail::require_global_matrix(exec, blocks, A);
  });
  auto const global = comm.collectively([&] { return detail::read_on_root(comm, root, A); });
  auto const slices = comm.collectively([&] { return detail::slices_of(blocks, global.row_offsets); });

  auto offsets = detail::scatter_slices<Offset>("einkorn::distribute_csr: row_offsets", comm, root,
                                                global.row_offsets.data(), slices.first);
  for (std::size_t i = offsets.size(); i-- > 0;) offsets[i] = static_cast<Offset>(offsets[i] - offsets[0]);
  auto const columns = detail::scatter_slices<Ordinal>("einkorn::distribute_csr: columns", comm, root,
                                                       global.columns.data(), slices.second);
  auto const values = detail::scatter_slices<Value>("einkorn::distribute_csr: values", comm, root,
                                                    global.values.data(), slices.second);
  return detail::distribute_rows_as<Value, Ordinal, Offset, Device>(
      operation, exec, comm, blocks, detail::as_host_array(offsets), detail::as_host_array(columns),
      detail::as_host_array(values));
}

/// Blocks with about equal numbers of entries, RowBlocks::balanced(), of a matrix that lies on one rank; the
/// same on all ranks. Collective.
/// @param A     on root: valid (validate()). Not read on the other ranks
/// @param root  the same on all ranks
/// @throws InvalidArgument, InvalidStructure, OutOfMemory: the same on all ranks
///
/// Cost: on root a copy of row_offsets to the host, if it is on a device; 1 exchange of ranks + 1 offsets.
template <class Scalar, class Ordinal, class Offset, class Device>
RowBlocks balanced_blocks(Communicator const& comm, Csr<Scalar, Ordinal, Offset, Device> const& A,
                          int root = 0) {
  detail::require_same_root("balanced_blocks", comm, root);
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const on_root = comm.collectively([&] {
    if (comm.rank() != root) return RowBlocks();
    require_kokkos("balanced_blocks");
    if (!detail::require_extents(A)) return RowBlocks::uniform(0, comm.size());
    return RowBlocks::balanced(read_on_host("einkorn::balanced_blocks", A.row_offsets), comm.size());
  });
  auto const slices = comm.collectively([&] {
    return allocate_vector<detail::Slice>("einkorn::balanced_blocks", ranks, {0, on_root.offsets().size()});
  });
  return RowBlocks(detail::scatter_slices<std::int64_t>("einkorn::balanced_blocks", comm, root,
                                                        on_root.offsets().data(), slices));
}

}  // namespace einkorn
