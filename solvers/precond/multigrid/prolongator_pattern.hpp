// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn::detail {

/// Limit of the aggregates that a row of P has entries for. A node with more of them among its strong neighbours
/// is not smoothed: a row of d aggregates adds d^2 entries to the coarse matrix.
inline constexpr int max_aggregates_of_row = 64;

/// The position of `value` in an ascending list of `count` numbers at(i), or -1.
template <class Ordinal, class At>
KOKKOS_FORCEINLINE_FUNCTION int find_sorted(Ordinal value, int count, At const& at) {
  int const first = lower_bound_index(at, 0, count, value);
  return first < count && at(first) == value ? first : -1;
}

/// The aggregates of a node and its strong neighbours, ascending.
template <class Graph, class OfNode>
struct NeighbourAggregates {
  using Ordinal = typename OfNode::non_const_value_type;
  using List = Ordinal[max_aggregates_of_row];

  Graph graph;
  OfNode of_node;

  /// Returns their number.
  KOKKOS_FUNCTION int operator()(std::size_t node, List& list) const {
    list[0] = of_node(node);
    if (list[0] < 0) return 0;
    int count = 1;
    for (auto e = graph.row_offsets(node); e < graph.row_offsets(node + 1); ++e) {
      Ordinal const aggregate = of_node(graph.columns(e));
      int at = count;
      while (at > 0 && list[at - 1] > aggregate) --at;
      if (aggregate < 0 || (at > 0 && list[at - 1] == aggregate)) continue;
      if (count == max_aggregates_of_row) {
        list[0] = of_node(node);
        return 1;
      }
      for (int i = count++; i > at; --i) list[i] = list[i - 1];
      list[at] = aggregate;
    }
    return count;
  }
};

/// The aggregates of P's rows of a node that truncation keeps: the one of the node, and those whose block of P
/// (the entries of the node's rows in the columns of the aggregate) has a Frobenius norm of at least `relative`
/// times the largest one, the `limit` largest of them at most; the first of equal ones.
template <class Matrix, class OfNode>
struct LargestBlocks {
  using Ordinal = typename OfNode::non_const_value_type;
  using List = Ordinal[max_aggregates_of_row];

  Matrix P;
  OfNode of_node;
  double relative;
  int limit;  // 0: none
  int block_size, k;

  KOKKOS_FUNCTION int operator()(std::size_t node, List& list) const {
    auto const row = static_cast<Ordinal>(node) * static_cast<Ordinal>(block_size);
    auto const length = static_cast<std::size_t>(P.row_end(row) - P.row_begin(row));
    int const count = static_cast<int>(length) / k;
    double norms[max_aggregates_of_row], largest = 0;
    for (int i = 0; i < count; ++i) {
      norms[i] = norm(row, i);
      largest = norms[i] > largest ? norms[i] : largest;
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      Ordinal const aggregate = aggregate_of(row, i);
      if (aggregate != of_node(node)) {
        int larger = 1;  // the node's own aggregate precedes all
        for (int other = 0; other < count; ++other)
          if (aggregate_of(row, other) != of_node(node) &&
              (norms[other] > norms[i] || (norms[other] == norms[i] && other < i)))
            ++larger;
        if (norms[i] < relative * largest || (limit > 0 && larger >= limit)) continue;
      }
      list[kept++] = aggregate;
    }
    return kept;
  }

 private:
  KOKKOS_FUNCTION Ordinal aggregate_of(Ordinal row, int i) const {
    return P.columns(static_cast<std::size_t>(P.row_begin(row)) + static_cast<std::size_t>(i * k)) /
           static_cast<Ordinal>(k);
  }
  KOKKOS_FUNCTION double norm(Ordinal row, int i) const {
    double sum = 0;
    for (int r = 0; r < block_size; ++r)
      for (int c = 0; c < k; ++c) {
        auto const begin = static_cast<std::size_t>(P.row_begin(row + static_cast<Ordinal>(r)));
        auto const value = static_cast<double>(P.values(begin + static_cast<std::size_t>(i * k + c)));
        sum += value * value;
      }
    return Kokkos::sqrt(sum);
  }
};

/// Entries of each row of P, and their total.
template <class Source, class Counts>
struct CountProlongatorRows {
  Source source;
  Counts counts;
  int block_size, k;

  KOKKOS_FUNCTION void operator()(std::size_t node, std::uint64_t& total) const {
    typename Source::List list;
    int const entries = source(node, list) * k;
    auto const rows = static_cast<std::size_t>(block_size);
    for (std::size_t r = 0; r < rows; ++r)
      counts(node * rows + r) = static_cast<typename Counts::value_type>(entries);
    total += static_cast<std::uint64_t>(entries) * rows;
  }
};

template <class Source, class Offsets, class Columns>
struct FillProlongatorColumns {
  using Ordinal = typename Columns::value_type;
  Source source;
  Offsets offsets;
  Columns columns;
  int block_size, k;

  KOKKOS_FUNCTION void operator()(std::size_t node) const {
    typename Source::List list;
    int const count = source(node, list);
    auto const rows = static_cast<std::size_t>(block_size);
    for (std::size_t r = 0; r < rows; ++r) {
      auto entry = static_cast<std::size_t>(offsets(node * rows + r));
      for (int i = 0; i < count; ++i)
        for (int c = 0; c < k; ++c)
          columns(entry++) = list[i] * static_cast<Ordinal>(k) + static_cast<Ordinal>(c);
    }
  }
};

/// P with the pattern of `source` and values that are not initialized. All rows of a node have the same columns,
/// ascending, in groups of the k columns of an aggregate.
/// @throws OverflowError, OutOfMemory
/// 3 launches; fences exec.
template <class Scalar, class Offset, class Device, class Exec, class Source>
auto prolongator_pattern(Exec const& exec, Source const& source, std::size_t nodes, int block_size, int k,
                         typename Source::Ordinal num_cols) {
  using Ordinal = typename Source::Ordinal;
  using Offsets = Kokkos::View<Offset*, Device>;
  using Columns = Kokkos::View<Ordinal*, Device>;
  auto const n = nodes * static_cast<std::size_t>(block_size);
  auto const offsets = allocate<Offsets>(exec, "einkorn::multigrid::prolongator::row_offsets", n + 1);
  std::uint64_t entries = 0;
  range_reduce<std::size_t>("einkorn::multigrid[prolongator_rows]", exec, nodes,
                            CountProlongatorRows<Source, Offsets>{source, offsets, block_size, k}, entries);
  require<OverflowError>(entries <= static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()), [&] {
    return "multigrid: the prolongator has " + std::to_string(entries) +
           " entries, which Offset does not hold; std::int64_t or std::size_t would do";
  });
  counts_to_offsets(exec, offsets);
  auto const columns = allocate<Columns>(exec, "einkorn::multigrid::prolongator::columns", entries);
  range_for<std::size_t>(
      "einkorn::multigrid[prolongator_columns]", exec, nodes,
      FillProlongatorColumns<Source, Offsets, Columns>{source, offsets, columns, block_size, k});
  auto const values =
      allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::multigrid::prolongator::values", entries);
  return Csr<Scalar, Ordinal, Offset, Device>{static_cast<Ordinal>(n), num_cols, offsets, columns, values};
}

}  // namespace einkorn::detail
