// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/multigrid/near_null.hpp>
#include <einkorn/solvers/precond/multigrid/prolongator_pattern.hpp>
#include <einkorn/solvers/precond/multigrid/strength_graph.hpp>
#include <einkorn/solvers/precond/multigrid/tentative.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace einkorn::detail {

/// One row of (I - omega D^-1 A_F) T on the pattern of P.
template <class Matrix, class Graph, class T, class D, class Prolongator>
struct SmoothProlongatorRow {
  using Scalar = typename Prolongator::scalar_type;
  using Ordinal = typename Prolongator::ordinal_type;

  Matrix A;
  Graph graph;
  T tentative;
  D inverse_diagonal;
  Prolongator P;
  double omega;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Row to;
    to.begin = P.row_begin(row);
    to.count = static_cast<int>(P.row_end(row) - to.begin) / tentative.num_vectors;
    if (to.count == 0) return;
    auto const b = static_cast<Ordinal>(tentative.block_size);
    Ordinal const node = row / b;
    int const size = to.count * tentative.num_vectors;
    to.is_local = size <= max_local;
    for (int at = 0; at < size; ++at) to.set(*this, at, 0);
    add(to, row, node, 1);
    double const factor = omega * static_cast<double>(inverse_diagonal(row));
    typename decltype(Graph::row_offsets)::non_const_value_type hint = 0;
    if constexpr (!CompleteGraph<Graph>) hint = graph.row_offsets(node);
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      Ordinal const column = A.columns(k), other = column / b;
      double const weight = -factor * static_cast<double>(A.values(k));
      if (other == node || is_strong(node, other, hint))
        add(to, column, other, weight);
      else
        add(to, node * b + column % b, node, weight);
    }
    if (to.has_dropped) restore_near_null(to, tentative.of_node(node));
    if (to.is_local)
      for (int at = 0; at < size; ++at) P.values(to.begin + static_cast<Offset>(at)) = Scalar(to.local[at]);
  }

 private:
  using Offset = typename Prolongator::offset_type;

  static constexpr int max_local = 16;  // entries that a thread accumulates outside of P

  struct Row {
    Offset begin;
    int count;                           // aggregates
    double dropped[max_near_null] = {};  // (entries outside the pattern) coarse_near_null
    bool has_dropped = false, is_local = false;
    double local[max_local];

    KOKKOS_FUNCTION double get(SmoothProlongatorRow const& in, int at) const {
      return is_local ? local[at] : static_cast<double>(in.P.values(begin + static_cast<Offset>(at)));
    }
    KOKKOS_FUNCTION void set(SmoothProlongatorRow const& in, int at, double value) {
      if (is_local)
        local[at] = value;
      else
        in.P.values(begin + static_cast<Offset>(at)) = Scalar(value);
    }
  };
  /// The first column of the i-th aggregate of a row.
  struct ColumnAt {
    Prolongator const& P;
    Offset begin;
    int k;
    KOKKOS_FUNCTION Ordinal operator()(int i) const { return P.columns(begin + static_cast<Offset>(i * k)); }
  };

  KOKKOS_FUNCTION std::size_t coarse_row(Ordinal aggregate, int i) const {
    return static_cast<std::size_t>(aggregate) * static_cast<std::size_t>(tentative.num_vectors) +
           static_cast<std::size_t>(i);
  }

  /// Adds weight times row `source` of T, a row of `node`.
  KOKKOS_FUNCTION void add(Row& to, Ordinal source, Ordinal node, double weight) const {
    Ordinal const aggregate = tentative.of_node(node);
    if (aggregate < 0) return;
    int const k = tentative.num_vectors;
    int const at = find_sorted(aggregate * static_cast<Ordinal>(k), to.count, ColumnAt{P, to.begin, k});
    Offset const from = tentative.matrix.row_begin(source);
    for (int i = 0; i < k; ++i) {
      double const value = weight * static_cast<double>(tentative.matrix.values(from + static_cast<Offset>(i)));
      if (at >= 0) {
        to.set(*this, at * k + i, to.get(*this, at * k + i) + value);
      } else {
        to.has_dropped = true;
        for (int c = i; c < k; ++c)
          to.dropped[c] +=
              value * static_cast<double>(tentative.coarse_near_null(coarse_row(aggregate, i), std::size_t(c)));
      }
    }
  }

  /// Whether `other` is a neighbour of `node`. `hint`: entry of the last neighbour found.
  KOKKOS_FUNCTION bool is_strong(Ordinal node, Ordinal other, Offset& hint) const {
    if constexpr (CompleteGraph<Graph>) return true;
    Offset const end = graph.row_offsets(node + 1);
    for (Offset next = hint; next < end && next < hint + 2; ++next)
      if (graph.columns(next) == other) {
        hint = next;
        return true;
      }
    Offset const at = lower_bound_index(graph.columns, graph.row_offsets(node), end, other);
    if (at == end || graph.columns(at) != other) return false;
    hint = at;
    return true;
  }

  /// Changes the row so that its product with coarse_near_null is as without truncation.
  KOKKOS_FUNCTION void restore_near_null(Row& to, Ordinal own) const {
    int const k = tentative.num_vectors;
    ColumnAt const column_at{P, to.begin, k};
    auto const& coarse = tentative.coarse_near_null;
    if (k == 1) {
      double kept = 0;
      for (int i = 0; i < to.count; ++i)
        kept += to.get(*this, i) * static_cast<double>(coarse(static_cast<std::size_t>(column_at(i)), 0));
      double const scale = (kept + to.dropped[0]) / kept;
      if (scale >= 0.5 && scale <= 2) {
        for (int i = 0; i < to.count; ++i) to.set(*this, i, to.get(*this, i) * scale);
        return;
      }
    }
    int const at = find_sorted(own * static_cast<Ordinal>(k), to.count, column_at);
    for (int c = 0; c < k; ++c) {  // solves change coarse = dropped, coarse upper triangular
      auto const pivot = static_cast<double>(coarse(coarse_row(own, c), std::size_t(c)));
      double const change = pivot == 0 ? 0 : to.dropped[c] / pivot;
      for (int later = c + 1; later < k; ++later)
        to.dropped[later] -= change * static_cast<double>(coarse(coarse_row(own, c), std::size_t(later)));
      to.set(*this, at * k + c, to.get(*this, at * k + c) + change);
    }
  }
};

/// Throws DimensionMismatch or InvalidArgument.
template <class Matrix, class Graph, class T, class D>
void check_prolongator(char const* operation, Matrix const& A, Graph const& graph, T const& tentative,
                       D const& inverse_diagonal, double omega) {
  require_square(operation, A.num_rows, A.num_cols);
  auto const same = [&](std::size_t found, std::size_t expected, char const* what) {
    require<DimensionMismatch>(found == expected, [&] {
      return std::string(operation) + ": " + what + " is " + std::to_string(found) + ", expected " +
             std::to_string(expected);
    });
  };
  auto const n = static_cast<std::size_t>(A.num_rows);
  same(static_cast<std::size_t>(tentative.matrix.num_rows), n, "the number of rows of T");
  same(inverse_diagonal.extent(0), n, "extent(0) of inverse_diagonal");
  same(static_cast<std::size_t>(graph.num_nodes) * static_cast<std::size_t>(tentative.block_size), n,
       "the number of nodes of the graph times block_size");
  require<InvalidArgument>(std::isfinite(omega) && omega >= 0, [&] {
    return std::string(operation) + ": omega is " + std::to_string(omega) + ", expected a finite number >= 0";
  });
}

/// The values of P on its pattern: entries outside the pattern are dropped as smoothed_prolongator() describes.
/// @param P made by smoothed_prolongator() for the same graph and T; its values are overwritten
/// @throws DimensionMismatch, InvalidArgument (omega), StalePlan (another number of rows or columns)
/// 1 launch, asynchronous, no allocation. Deterministic: the bits of a new P if the pattern is the same.
template <class Exec, class Matrix, class Graph, class T, class D, class Prolongator>
void update_prolongator(Exec const& exec, Matrix const& A, Graph const& graph, T const& tentative,
                        D const& inverse_diagonal, double omega, Prolongator const& P) {
  using Ordinal = typename Prolongator::ordinal_type;
  check_prolongator("update_prolongator", A, graph, tentative, inverse_diagonal, omega);
  require<StalePlan>(P.num_rows == A.num_rows && P.num_cols == tentative.matrix.num_cols,
                     "update_prolongator: P was made for another matrix or other aggregates");
  range_for<Ordinal>(
      "einkorn::multigrid[smooth_prolongator]", exec, A.num_rows,
      SmoothProlongatorRow<Matrix, Graph, T, D, Prolongator>{A, graph, tentative, inverse_diagonal, P, omega});
}

/// What smoothed_prolongator() drops.
struct Truncation {
  double relative = 0;     ///< blocks of P below this fraction of the largest of the node, 0 .. 1
  int max_aggregates = 0;  ///< blocks per node beyond this number, the smallest first; 0: no limit
};

/// A smoothed prolongator with fewer blocks per node. The arguments are those of smoothed_prolongator(), which
/// made P without truncation. P is not changed.
/// @throws InvalidArgument (truncation), OverflowError, OutOfMemory
/// 4 launches; fences exec.
template <class Exec, class Matrix, class Graph, class T, class D, class Prolongator>
Prolongator truncated_prolongator(Exec const& exec, Matrix const& A, Graph const& graph, T const& tentative,
                                  D const& inverse_diagonal, double omega, Prolongator const& P,
                                  Truncation const& truncation) {
  using OfNode = decltype(tentative.of_node);
  require<InvalidArgument>(truncation.relative >= 0 && truncation.relative <= 1, [&] {
    return "smoothed_prolongator: truncation.relative is " + std::to_string(truncation.relative) +
           ", expected 0 .. 1";
  });
  require<InvalidArgument>(truncation.max_aggregates >= 0, [&] {
    return "smoothed_prolongator: truncation.max_aggregates is " + std::to_string(truncation.max_aggregates) +
           ", expected 0 (no limit) or more";
  });
  int const b = tentative.block_size, k = tentative.num_vectors;
  Prolongator const result =
      prolongator_pattern<typename Prolongator::scalar_type, typename Prolongator::offset_type,
                          typename Prolongator::device_type>(
          exec,
          LargestBlocks<Prolongator, OfNode>{P, tentative.of_node, truncation.relative,
                                             truncation.max_aggregates, b, k},
          static_cast<std::size_t>(graph.num_nodes), b, k, tentative.matrix.num_cols);
  update_prolongator(exec, A, graph, tentative, inverse_diagonal, omega, result);
  return result;
}

/// The smoothed prolongator P = (I - omega D^-1 A_F) T. A_F is A with its weak entries, those between nodes that
/// are not neighbours in the graph, added to the diagonal block of their node (to the column of the same
/// unknown), so that A_F v = A v for the constants of each unknown.
/// @param A                 n x n, real; rows need not be sorted
/// @param graph             strong connections: num_nodes, row_offsets and columns; columns ascend within a row
/// @param tentative         T
/// @param inverse_diagonal  [n], 1 / a_ii
/// @param omega             4 / (3 rho) with rho >= the spectral radius of D^-1 A
/// All rows of a node have entries for the same aggregates: its own and those of its strong neighbours, less the
/// truncated ones; for its own only if there are more than max_aggregates_of_row. What is dropped changes the
/// other entries so that P coarse_near_null remains: for one vector the row is scaled, if by 1/2 .. 2, otherwise
/// the entries of the own aggregate are changed.
/// @throws DimensionMismatch, InvalidArgument, OverflowError, OutOfMemory
///
/// Cost: 4 launches, with truncation 8; reads A once, with truncation twice. Fences exec. Deterministic.
/// Source: Vanek, Mandel & Brezina, Computing 56, 1996. Departures: truncation; the lumped entries keep their
/// sign, so that row sums of A remain; unknowns of a node stay together.
template <class Exec, class Matrix, class Graph, class T, class D>
auto smoothed_prolongator(Exec const& exec, Matrix const& A, Graph const& graph, T const& tentative,
                          D const& inverse_diagonal, double omega, Truncation const& truncation = {}) {
  using Scalar = typename Matrix::scalar_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;
  static_assert(!is_complex<Scalar>, "einkorn multigrid: complex matrices are not supported");
  check_prolongator("smoothed_prolongator", A, graph, tentative, inverse_diagonal, omega);
  using OfNode = decltype(tentative.of_node);
  auto const nodes = static_cast<std::size_t>(graph.num_nodes);
  int const b = tentative.block_size, k = tentative.num_vectors;
  auto P = prolongator_pattern<Scalar, Offset, Device>(
      exec, NeighbourAggregates<Graph, OfNode>{graph, tentative.of_node}, nodes, b, k,
      tentative.matrix.num_cols);
  update_prolongator(exec, A, graph, tentative, inverse_diagonal, omega, P);
  if (truncation.relative != 0 || truncation.max_aggregates != 0)
    P = truncated_prolongator(exec, A, graph, tentative, inverse_diagonal, omega, P, truncation);
  return P;
}

}  // namespace einkorn::detail
