// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/distributed/detail/scatter_slices.hpp>
#include <einkorn/formats/distributed/detail/split_rows.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

/// The rows of one rank with global columns, sorted within a row.
template <class Scalar>
struct GlobalRows {
  std::vector<std::int64_t> lengths, columns;
  std::vector<Scalar> values;
};

/// A Csr on the host.
template <class Matrix>
struct HostCsr {
  decltype(read_on_host("", std::declval<Matrix const&>().row_offsets)) row_offsets;
  decltype(read_on_host("", std::declval<Matrix const&>().columns)) columns;
  decltype(read_on_host("", std::declval<Matrix const&>().values)) values;

  explicit HostCsr(Matrix const& A)
      : row_offsets(read_on_host("einkorn::gather_csr: row_offsets", A.row_offsets)),
        columns(read_on_host("einkorn::gather_csr: columns", A.columns)),
        values(read_on_host("einkorn::gather_csr: values", A.values)) {}
};

/// The entries of the longest row.
template <class Part>
std::size_t max_length(Part const& part) {
  std::size_t longest = 0;
  for (std::size_t i = 1; i < part.row_offsets.extent(0); ++i)
    longest = std::max(longest, static_cast<std::size_t>(part.row_offsets(i) - part.row_offsets(i - 1)));
  return longest;
}

/// The rows of this rank. Entries in the same column keep their order.
template <class Matrix>
GlobalRows<typename Matrix::scalar_type> global_rows(Matrix const& A) {
  using Scalar = typename Matrix::scalar_type;
  char const* const purpose = "einkorn::gather_csr: rows of a rank";
  HostCsr const local(A.local), ghost(A.ghost);
  auto const boundary_rows = read_on_host("einkorn::gather_csr: boundary_rows", A.boundary_rows);
  auto const rows = static_cast<std::size_t>(A.num_rows());
  GlobalRows<Scalar> result{allocate_vector<std::int64_t>(purpose, rows), {}, {}};
  reserve(result.columns, purpose, A.num_entries());
  reserve(result.values, purpose, A.num_entries());
  std::vector<std::pair<std::int64_t, Scalar>> row;
  reserve(row, purpose, max_length(local) + max_length(ghost));
  auto const add_row = [&](auto const& part, std::size_t i, auto const& global_column) {
    auto const end = static_cast<std::size_t>(part.row_offsets(i + 1));
    for (auto k = static_cast<std::size_t>(part.row_offsets(i)); k < end; ++k)
      row.emplace_back(global_column(part.columns(k)), part.values(k));
  };
  std::size_t b = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    row.clear();
    add_row(local, i, [&](auto column) { return A.first_row() + static_cast<std::int64_t>(column); });
    if (b < boundary_rows.extent(0) && static_cast<std::size_t>(boundary_rows(b)) == i)
      add_row(ghost, b++, [&](auto column) { return A.halo.ghost_ids[static_cast<std::size_t>(column)]; });
    std::stable_sort(row.begin(), row.end(),
                     [](auto const& one, auto const& other) { return one.first < other.first; });
    result.lengths[i] = static_cast<std::int64_t>(row.size());
    for (auto const& [column, value] : row) {
      result.columns.push_back(column);
      result.values.push_back(value);
    }
  }
  return result;
}

/// The arrays of all ranks, one after the other, on root; empty on the other ranks. Collective.
template <class T>
std::vector<T> gather_on_root(Communicator const& comm, int root, std::vector<T> mine) {
  char const* const purpose = "einkorn::gather_csr: arrays of all ranks";
  auto messages = comm.collectively(
      [&] { return allocate_vector<std::vector<T>>(purpose, static_cast<std::size_t>(comm.size())); });
  messages[static_cast<std::size_t>(root)] = std::move(mine);
  auto const received = comm.exchange(messages);
  return comm.collectively([&] {
    std::size_t size = 0;
    for (auto const& part : received) size += part.size();
    std::vector<T> all;
    reserve(all, purpose, size);
    for (auto const& part : received) all.insert(all.end(), part.begin(), part.end());
    return all;
  });
}

template <class Target, class Source>
std::vector<Target> converted(std::vector<Source> const& from) {
  std::vector<Target> to;
  reserve(to, "einkorn::gather_csr: indices", from.size());
  for (auto const& entry : from) to.push_back(static_cast<Target>(entry));
  return to;
}

}  // namespace detail

/// The global matrix on rank root, rows sorted by column; an empty Csr on the other ranks. Collective. For
/// tests and tools: root needs memory for the whole matrix.
///
/// Lossless: stored zeros and repeated positions are kept. Entries of a row in the same column keep their
/// order.
/// @tparam GlobalOrdinal, GlobalOffset  of the result
/// @param root  the same on all ranks
/// @throws InvalidArgument, OverflowError if rows or entries do not fit the types of the result, OutOfMemory:
/// the same on all ranks
///
/// Cost: a copy of A to the host, sorts of every row on one host thread, 3 exchanges. Fences. Deterministic.
template <class GlobalOrdinal, class GlobalOffset, class Scalar, class Ordinal, class Offset, class Device>
Csr<std::remove_const_t<Scalar>, GlobalOrdinal, GlobalOffset, Device> gather_csr(
    DistributedCsr<Scalar, Ordinal, Offset, Device> const& A, int root = 0) {
  using Value = std::remove_const_t<Scalar>;
  using Result = Csr<Value, GlobalOrdinal, GlobalOffset, Device>;
  auto const& comm = A.communicator;
  detail::require_same_root("gather_csr", comm, root);
  std::uint64_t total = 0;
  for (auto const entries : comm.all_gather(static_cast<std::uint64_t>(A.num_entries()))) total += entries;
  detail::require_countable<GlobalOrdinal>("gather_csr", A.num_global_rows(), "global rows", "GlobalOrdinal");
  detail::require_countable<GlobalOffset>("gather_csr", total, "entries", "GlobalOffset");

  auto rows = comm.collectively([&] { return detail::global_rows(A); });
  auto const lengths = detail::gather_on_root(comm, root, std::move(rows.lengths));
  auto const columns = detail::gather_on_root(comm, root, std::move(rows.columns));
  auto const values = detail::gather_on_root(comm, root, std::move(rows.values));
  return comm.collectively([&] {
    if (comm.rank() != root) return Result();
    auto offsets = allocate_vector<GlobalOffset>("einkorn::gather_csr: row_offsets", lengths.size() + 1);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      offsets[i + 1] = static_cast<GlobalOffset>(offsets[i] + static_cast<GlobalOffset>(lengths[i]));
    auto const size = static_cast<GlobalOrdinal>(A.num_global_rows());
    return Result{size, size,
                  detail::copy_to_device<Kokkos::View<GlobalOffset*, Device>>(
                      "einkorn::gather_csr: row_offsets", offsets),
                  detail::copy_to_device<Kokkos::View<GlobalOrdinal*, Device>>(
                      "einkorn::gather_csr: columns", detail::converted<GlobalOrdinal>(columns)),
                  detail::copy_to_device<Kokkos::View<Value*, Device>>("einkorn::gather_csr: values", values)};
  });
}

/// As above, with the index types of A.
template <class Scalar, class Ordinal, class Offset, class Device>
auto gather_csr(DistributedCsr<Scalar, Ordinal, Offset, Device> const& A, int root = 0) {
  return gather_csr<Ordinal, Offset>(A, root);
}

}  // namespace einkorn
