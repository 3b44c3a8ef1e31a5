// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/transpose_order.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace einkorn::detail {

/// A partition of the nodes of a graph. Aggregates are numbered by their roots: an aggregate with a smaller
/// root has a smaller number.
template <class Ordinal, class Device>
struct Aggregates {
  using ordinal_type = Ordinal;
  using device_type = Device;

  Ordinal count = 0;
  Kokkos::View<Ordinal*, Device> of_node;  // [num_nodes]; -1: without strong connection, in no aggregate
};

/// The nodes of aggregate a: nodes(k), k = offsets(a) .. offsets(a + 1) - 1, ascending.
template <class Ordinal, class Device>
struct AggregateMembers {
  Kokkos::View<Ordinal*, Device> offsets;  // [count + 1]
  Kokkos::View<Ordinal*, Device> nodes;    // [offsets(count)]
};

/// buckets(v): the aggregate of node v, or `count` if it is in none.
template <class List>
struct BucketOfNode {
  using Ordinal = typename List::non_const_value_type;

  List of_node, buckets;
  Ordinal count;

  KOKKOS_FUNCTION void operator()(Ordinal v) const { buckets(v) = of_node(v) < 0 ? count : of_node(v); }
};

/// The nodes of every aggregate.
/// @throws OutOfMemory, OverflowError (count times num_nodes exceeds 2^64)
/// Cost: a sort of num_nodes 64-bit keys on a GPU, a counting sort on the host. Fences exec. Deterministic.
template <class Exec, class Ordinal, class Device>
AggregateMembers<Ordinal, Device> members(Exec const& exec, Aggregates<Ordinal, Device> const& aggregates) {
  using View = Kokkos::View<Ordinal*, Device>;
  auto const size = aggregates.of_node.extent(0);
  auto const n = static_cast<Ordinal>(size);
  auto const buckets = allocate<View>(exec, "einkorn::multigrid::buckets", size);
  range_for<Ordinal>("einkorn::multigrid[buckets]", exec, n,
                     BucketOfNode<View>{aggregates.of_node, buckets, aggregates.count});
  auto const lists = list_buckets(exec, buckets, n, static_cast<Ordinal>(aggregates.count + 1));
  Ordinal num_members = 0;
  Kokkos::deep_copy(exec, num_members, Kokkos::subview(lists.offsets, aggregates.count));
  exec.fence("einkorn::multigrid: the number of members is read");
  auto const end = [](auto last) {
    return std::pair<std::size_t, std::size_t>(0, static_cast<std::size_t>(last));
  };
  return {View(Kokkos::subview(lists.offsets, end(aggregates.count + 1))),
          View(Kokkos::subview(lists.items, end(num_members)))};
}

template <class List>
struct ComposeAggregates {
  using Ordinal = typename List::non_const_value_type;

  List fine, coarse, of_node;

  KOKKOS_FUNCTION void operator()(Ordinal v) const { of_node(v) = fine(v) < 0 ? Ordinal(-1) : coarse(fine(v)); }
};

/// Aggregates of aggregates: node v is in coarse.of_node(fine.of_node(v)).
/// @pre coarse.of_node has fine.count entries
/// @throws OutOfMemory
/// 1 launch, asynchronous.
template <class Exec, class Ordinal, class Device>
Aggregates<Ordinal, Device> compose(Exec const& exec, Aggregates<Ordinal, Device> const& fine,
                                    Aggregates<Ordinal, Device> const& coarse) {
  using List = Kokkos::View<Ordinal*, Device>;
  Aggregates<Ordinal, Device> result;
  auto const size = fine.of_node.extent(0);
  result.count = coarse.count;
  result.of_node = allocate<List>(exec, "einkorn::Aggregates::of_node", size);
  range_for<Ordinal>("einkorn::multigrid[compose]", exec, static_cast<Ordinal>(size),
                     ComposeAggregates<List>{fine.of_node, coarse.of_node, result.of_node});
  return result;
}

}  // namespace einkorn::detail
