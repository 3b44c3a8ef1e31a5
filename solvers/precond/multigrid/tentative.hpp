// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/rows_by_warps.hpp>
#include <einkorn/solvers/precond/multigrid/near_null.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn::detail {

/// The tentative prolongator T and what the next level needs of it. k = num_vectors near-null vectors.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Tentative {
  /// [n x count k]. A row of a node in aggregate g has k entries, in the columns g k .. g k + k - 1; a row of a
  /// node outside all aggregates has none.
  Csr<Scalar, Ordinal, Offset, Device> matrix;
  NearNull<Scalar, Device> coarse_near_null;         // [count k x k], upper triangular blocks of k rows
  Kokkos::View<std::uint8_t*, Device> zero_columns;  // [count k], 1: the column of T is zero
  Kokkos::View<Ordinal const*, Device> of_node;      // [nodes], aggregate or -1
  int block_size = 1;                                // rows of a node
  int num_vectors = 1;                               // rows of a node of the next level
};

template <class OfNode, class Offsets>
struct CountTentativeRow {
  OfNode of_node;
  Offsets counts;
  std::size_t block_size;
  int num_vectors;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    counts(row) = of_node(row / block_size) < 0 ? 0 : static_cast<typename Offsets::value_type>(num_vectors);
  }
};

/// Gram-Schmidt of one aggregate by the lanes of a warp. A lane reads and writes the same rows in every step, so
/// no synchronization is needed.
template <class Exec, class Result, class Members, class Vectors>
struct OrthogonalizeAggregate {
  using Scalar = typename Vectors::non_const_value_type;
  using Ordinal = typename Result::Ordinal;
  using L = Lanes<Exec>;

  typename Result::Offsets offsets;
  typename Result::Columns columns;
  typename Result::Values values;
  typename Result::ZeroColumns zero_columns;
  Vectors coarse;
  Vectors fine;
  Members members;
  int block_size, k;
  double tolerance;

  KOKKOS_FUNCTION void operator()(Ordinal aggregate, int lane) const {
    Ordinal const begin = members.offsets(aggregate);
    auto const rows = static_cast<std::int64_t>(members.offsets(aggregate + 1) - begin) * block_size;
    auto const first = static_cast<std::size_t>(aggregate) * static_cast<std::size_t>(k);
    for (int j = 0; j < k; ++j) {
      double const before = load(begin, rows, aggregate, j, lane);
      double norm = before;
      if (lane == 0)
        for (int i = 0; i < k; ++i) coarse(first + at(i), at(j)) = Scalar(0);
      for (int pass = 0; pass < (j == 0 ? 0 : 2); ++pass) norm = orthogonalize(begin, rows, first, j, lane);
      bool const is_dependent = !(norm > tolerance * before);  // also for NaN
      double const factor = is_dependent ? 0 : 1 / norm;
      for (std::int64_t t = lane; t < rows; t += L::size) {
        auto const entry = entry_of(begin, t, j);
        values(entry) = is_dependent ? Scalar(0) : Scalar(static_cast<double>(values(entry)) * factor);
      }
      if (lane != 0) continue;
      coarse(first + at(j), at(j)) = is_dependent ? Scalar(0) : Scalar(norm);
      zero_columns(first + at(j)) = is_dependent ? 1 : 0;
    }
  }

 private:
  KOKKOS_FUNCTION static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  KOKKOS_FUNCTION std::size_t row_of(Ordinal begin, std::int64_t t) const {
    auto const node = static_cast<std::size_t>(members.nodes(begin + static_cast<Ordinal>(t / block_size)));
    return node * at(block_size) + static_cast<std::size_t>(t % block_size);
  }
  KOKKOS_FUNCTION std::size_t entry_of(Ordinal begin, std::int64_t t, int j) const {
    return static_cast<std::size_t>(offsets(row_of(begin, t))) + at(j);
  }

  /// Column j of the near-null vectors into T; returns its norm.
  KOKKOS_FUNCTION double load(Ordinal begin, std::int64_t rows, Ordinal aggregate, int j, int lane) const {
    double sum = 0;
    for (std::int64_t t = lane; t < rows; t += L::size) {
      auto const row = row_of(begin, t);
      auto const entry = static_cast<std::size_t>(offsets(row)) + at(j);
      Scalar const value = fine(row, at(j));
      columns(entry) = aggregate * static_cast<Ordinal>(k) + static_cast<Ordinal>(j);
      values(entry) = value;
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return Kokkos::sqrt(sum_over_lanes<L, L::size>(sum));
  }

  /// Subtracts from column j its components along columns 0 .. j - 1; returns its norm.
  KOKKOS_FUNCTION double orthogonalize(Ordinal begin, std::int64_t rows, std::size_t first, int j,
                                       int lane) const {
    for (int i = 0; i < j; ++i) {
      double sum = 0;
      for (std::int64_t t = lane; t < rows; t += L::size)
        sum += static_cast<double>(values(entry_of(begin, t, i))) *
               static_cast<double>(values(entry_of(begin, t, j)));
      double const r = sum_over_lanes<L, L::size>(sum);
      if (lane == 0) coarse(first + at(i), at(j)) += Scalar(r);
      for (std::int64_t t = lane; t < rows; t += L::size) {
        auto const entry = entry_of(begin, t, j);
        values(entry) =
            Scalar(static_cast<double>(values(entry)) - r * static_cast<double>(values(entry_of(begin, t, i))));
      }
    }
    double sum = 0;
    for (std::int64_t t = lane; t < rows; t += L::size) {
      auto const value = static_cast<double>(values(entry_of(begin, t, j)));
      sum += value * value;
    }
    return Kokkos::sqrt(sum_over_lanes<L, L::size>(sum));
  }
};

/// The Views that OrthogonalizeAggregate writes.
template <class Scalar, class Ordinal_, class Offset, class Device>
struct TentativeViews {
  using Ordinal = Ordinal_;
  using Offsets = Kokkos::View<Offset*, Device>;
  using Columns = Kokkos::View<Ordinal*, Device>;
  using Values = Kokkos::View<Scalar*, Device>;
  using ZeroColumns = Kokkos::View<std::uint8_t*, Device>;
};

/// A column is dependent if orthogonalization leaves less than this fraction of its norm: epsilon^(2/3).
template <class Scalar>
inline constexpr double dependence_tolerance = sizeof(Scalar) == 4 ? 2.4e-5 : 3.7e-11;

/// The tentative prolongator: T with orthonormal columns per aggregate and near_null = T coarse_near_null in the
/// rows of the aggregates, by a QR factorization of the rows of each aggregate.
/// @param aggregates  count and of_node [nodes], aggregate of a node or -1
/// @param members     offsets [count + 1] and nodes: the nodes of each aggregate
/// @param near_null   [n x k], 1 <= k <= max_near_null, finite; squares of its entries do not overflow double
/// @param block_size  rows per node; node v has the rows v block_size .. v block_size + block_size - 1
/// A vector that depends on the previous ones in an aggregate (dependence_tolerance; also: fewer rows than
/// vectors) gives a zero column of T, a zero row of coarse_near_null and a 1 in zero_columns.
/// @throws DimensionMismatch (extents), InvalidArgument (k, block_size), OverflowError (count k or n k do not fit
/// their types), OutOfMemory
///
/// Cost: 3 launches; one warp per aggregate reads its k n_g numbers about 2 k times. Fences exec. Deterministic.
/// Source: Vanek, Mandel & Brezina, Computing 56, 1996. Departure: modified Gram-Schmidt, twice, in place.
template <class Offset, class Exec, class Aggregates, class Members, class Vectors>
auto tentative(Exec const& exec, Aggregates const& aggregates, Members const& members, Vectors const& near_null,
               int block_size) {
  using Scalar = typename Vectors::non_const_value_type;
  using Device = typename decltype(aggregates.of_node)::device_type;
  using Ordinal = typename decltype(aggregates.of_node)::non_const_value_type;
  using Views = TentativeViews<Scalar, Ordinal, Offset, Device>;
  auto const n = near_null.extent(0), k = near_null.extent(1), nodes = aggregates.of_node.extent(0);
  auto const count = static_cast<std::size_t>(aggregates.count);
  require_block_size("tentative", block_size, n);
  require<InvalidArgument>(k >= 1 && k <= max_near_null, [&] {
    return "tentative: near_null has " + std::to_string(k) + " vectors, expected 1 .. " +
           std::to_string(max_near_null);
  });
  require<DimensionMismatch>(nodes * static_cast<std::size_t>(block_size) == n, [&] {
    return "tentative: near_null has extent(0) = " + std::to_string(n) + ", expected " + std::to_string(nodes) +
           " nodes times " + std::to_string(block_size);
  });
  require<DimensionMismatch>(members.offsets.extent(0) == count + 1, [&] {
    return "tentative: offsets of the members has extent(0) = " + std::to_string(members.offsets.extent(0)) +
           ", expected " + std::to_string(count + 1);
  });
  require<OverflowError>(saturated_product(n, k) <= std::size_t(std::numeric_limits<Offset>::max()) &&
                             saturated_product(count, k) <= std::size_t(std::numeric_limits<Ordinal>::max()),
                         [&] {
                           return "tentative: " + std::to_string(n) + " rows and " + std::to_string(count) +
                                  " aggregates times " + std::to_string(k) +
                                  " vectors do not fit the index types; std::int64_t does";
                         });
  Tentative<Scalar, Ordinal, Offset, Device> result;
  result.of_node = aggregates.of_node;
  result.block_size = block_size;
  result.num_vectors = static_cast<int>(k);
  auto const offsets =
      allocate<typename Views::Offsets>(exec, "einkorn::multigrid::tentative::row_offsets", n + 1);
  range_for<std::size_t>(
      "einkorn::multigrid[tentative_rows]", exec, n,
      CountTentativeRow<decltype(result.of_node), typename Views::Offsets>{
          result.of_node, offsets, static_cast<std::size_t>(block_size), result.num_vectors});
  auto const nnz = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  auto const columns = allocate<typename Views::Columns>(exec, "einkorn::multigrid::tentative::columns", nnz);
  auto const values = allocate<typename Views::Values>(exec, "einkorn::multigrid::tentative::values", nnz);
  result.coarse_near_null =
      allocate<NearNull<Scalar, Device>>(exec, "einkorn::multigrid::near_null", count * k, k);
  result.zero_columns =
      allocate<typename Views::ZeroColumns>(exec, "einkorn::multigrid::tentative::zero_columns", count * k);
  NearNull<Scalar, Device> const fine = near_null;
  for_each_row(exec, "einkorn::multigrid[tentative]", aggregates.count,
               OrthogonalizeAggregate<Exec, Views, Members, NearNull<Scalar, Device>>{
                   offsets, columns, values, result.zero_columns, result.coarse_near_null, fine, members,
                   block_size, result.num_vectors, dependence_tolerance<Scalar>});
  result.matrix = {static_cast<Ordinal>(n), static_cast<Ordinal>(count * k), offsets, columns, values};
  return result;
}

}  // namespace einkorn::detail
