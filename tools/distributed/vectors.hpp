// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "distributed/on_rank_0.hpp"
#include "solve/types.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::tools {

template <class Scalar>
std::vector<Scalar> on_host(DenseVector<Scalar> const& view) {
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  auto copy = allocate_vector<Scalar>("einkorn-solve: vector on the host", view.extent(0));
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = mirror(i);
  return copy;
}

template <class Scalar>
DenseVector<Scalar> on_device(Exec const& exec, char const* purpose, std::vector<Scalar> const& from) {
  auto const to = allocate<DenseVector<Scalar>>(exec, purpose, from.size());
  Kokkos::View<Scalar const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const source(from.data(),
                                                                                       from.size());
  Kokkos::deep_copy(exec, to, source);
  exec.fence("einkorn-solve: vector on the device");
  return to;
}

/// The entries of this rank of a vector of rank 0. new_ids: entry i of the vector is entry new_ids[i] of the
/// distributed one; empty: the same order. Collective.
/// @param global  not read on other ranks
template <class Scalar>
std::vector<Scalar> scatter_vector(Communicator const& comm, RowBlocks const& blocks,
                                   std::vector<std::int64_t> const& new_ids,
                                   std::vector<Scalar> const& global) {
  std::vector<std::vector<Scalar>> parts;
  (void)on_rank_0(comm, [&] {
    auto ordered = allocate_vector<Scalar>("einkorn-solve: b in the order of the ranks", global.size());
    for (std::size_t i = 0; i < global.size(); ++i)
      ordered[new_ids.empty() ? i : static_cast<std::size_t>(new_ids[i])] = global[i];
    for (int rank = 0; rank < comm.size(); ++rank)
      parts.emplace_back(ordered.begin() + blocks.begin(rank), ordered.begin() + blocks.end(rank));
    return true;
  });
  return scatter_from_rank_0(comm, parts);
}

/// The inverse of scatter_vector(). Empty on the other ranks.
template <class Scalar>
std::vector<Scalar> gather_vector(Communicator const& comm, std::vector<std::int64_t> const& new_ids,
                                  std::vector<Scalar> const& part) {
  auto const parts = gather_on_rank_0(comm, part);
  std::vector<Scalar> ordered;
  if (comm.rank() != 0) return ordered;
  for (auto const& of_rank : parts) ordered.insert(ordered.end(), of_rank.begin(), of_rank.end());
  if (new_ids.empty()) return ordered;
  auto global = allocate_vector<Scalar>("einkorn-solve: x in the order of A", ordered.size());
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = ordered[static_cast<std::size_t>(new_ids[i])];
  return global;
}

}  // namespace einkorn::tools
