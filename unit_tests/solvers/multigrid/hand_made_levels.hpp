// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../../support/battery.hpp"

#include <einkorn/solvers/precond/multigrid/near_null.hpp>
#include <einkorn/solvers/precond/multigrid/tentative.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

namespace einkorn::test {

using Dense = std::vector<std::vector<long double>>;

inline Dense zeros(std::size_t rows, std::size_t cols) {
  return Dense(rows, std::vector<long double>(cols));
}

template <class S>
Dense dense_of(HostMatrix<S> const& A) {
  auto result = zeros(A.rows(), A.cols());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      result[i][A.column(k)] += static_cast<long double>(A.values[k]);
  return result;
}

inline Dense dense_of(detail::NearNull<double, Device> const& vectors) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), vectors);
  auto result = zeros(host.extent(0), host.extent(1));
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) result[i][j] = host(i, j);
  return result;
}

inline Dense times(Dense const& A, Dense const& B) {
  auto C = zeros(A.size(), B.empty() ? 0 : B[0].size());
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t l = 0; l < B.size(); ++l)
      if (A[i][l] != 0)
        for (std::size_t j = 0; j < B[l].size(); ++j) C[i][j] += A[i][l] * B[l][j];
  return C;
}

inline Dense transposed(Dense const& A) {
  auto result = zeros(A.empty() ? 0 : A[0].size(), A.size());
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A[i].size(); ++j) result[j][i] = A[i][j];
  return result;
}

inline Dense moduli(Dense A) {
  for (auto& row : A)
    for (auto& value : row) value = std::abs(value);
  return A;
}

/// |found - want| <= terms epsilon bound in every entry.
inline testing::AssertionResult is_near(Dense const& found, Dense const& want, Dense const& bound,
                                        std::size_t terms) {
  if (found.size() != want.size()) return testing::AssertionFailure() << found.size() << " rows";
  auto const unit = static_cast<long double>(terms) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < want.size(); ++i)
    for (std::size_t j = 0; j < want[i].size(); ++j)
      if (!(std::abs(found[i][j] - want[i][j]) <= unit * bound[i][j]))
        return testing::AssertionFailure() << "(" << i << ", " << j << ") is " << found[i][j] << ", expected "
                                           << want[i][j] << " up to " << unit * bound[i][j];
  return testing::AssertionSuccess();
}

/// Aggregates chosen by a test; has the members that tentative() uses.
struct HandMadeAggregates {
  int count;
  Kokkos::View<int*, Device> of_node;
};
struct HandMadeMembers {
  Kokkos::View<int*, Device> offsets, nodes;
};

inline HandMadeMembers members_of(std::vector<int> const& of_node, int count) {
  std::vector<int> offsets{0}, nodes;
  for (int aggregate = 0; aggregate < count; ++aggregate) {
    for (std::size_t v = 0; v < of_node.size(); ++v)
      if (of_node[v] == aggregate) nodes.push_back(static_cast<int>(v));
    offsets.push_back(static_cast<int>(nodes.size()));
  }
  return {to_device(offsets), to_device(nodes)};
}

/// tentative() for aggregates 0 .. max of of_node.
inline auto tentative_of(std::vector<int> const& of_node, detail::NearNull<double, Device> const& near_null,
                         int block_size, Space const& exec = Space()) {
  int const count = *std::max_element(of_node.begin(), of_node.end()) + 1;
  return detail::tentative<int>(exec, HandMadeAggregates{count, to_device(of_node)}, members_of(of_node, count),
                                near_null, block_size);
}

/// Strong connections chosen by a test.
struct HandMadeGraph {
  int num_nodes;
  Kokkos::View<int*, Device> row_offsets, columns;
};

/// Neighbours: the nodes u != v with an entry in the block (v, u), except the weak ones.
template <class IsWeak>
HandMadeGraph graph_of(HostMatrix<double> const& A, int block_size, IsWeak const& is_weak) {
  int const nodes = A.num_rows / block_size;
  std::vector<int> offsets{0}, columns;
  for (int v = 0; v < nodes; ++v) {
    std::vector<int> row;
    for (auto k = A.begin(static_cast<std::size_t>(v * block_size));
         k < A.end(static_cast<std::size_t>((v + 1) * block_size - 1)); ++k)
      if (int const u = A.columns[k] / block_size; u != v && !is_weak(v, u)) row.push_back(u);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    offsets.push_back(static_cast<int>(columns.size()));
  }
  return {nodes, to_device(offsets), to_device(columns)};
}
inline HandMadeGraph graph_of(HostMatrix<double> const& A, int block_size) {
  return graph_of(A, block_size, [](int, int) { return false; });
}

/// The points of a grid, x fastest.
inline std::vector<std::vector<int>> grid_points(int nx, int ny, int nz) {
  std::vector<std::vector<int>> points;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) points.push_back({x, y, z});
  return points;
}

/// Springs between all points at most one step apart along every axis: the block (v, u) is -c d d^T for the
/// distance d, with a stiffness c of 1 or 2, and the block (v, v) the negative sum of the others. No supports, so
/// that the null space contains the rigid-body modes. Integers: sums are exact.
inline HostMatrix<double> springs(std::vector<std::vector<int>> const& points, int d) {
  auto const n = points.size() * static_cast<std::size_t>(d);
  std::vector<std::vector<double>> A(n, std::vector<double>(n));
  for (std::size_t v = 0; v < points.size(); ++v)
    for (std::size_t u = 0; u < points.size(); ++u) {
      int distance[3], largest = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        distance[c] = points[u][c] - points[v][c];
        largest = std::max(largest, std::abs(distance[c]));
      }
      if (largest != 1) continue;
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) {
          double const value = (1 + static_cast<int>((u + v) % 2)) * distance[i] * distance[j];
          auto const row = v * static_cast<std::size_t>(d) + static_cast<std::size_t>(i);
          A[row][u * static_cast<std::size_t>(d) + static_cast<std::size_t>(j)] -= value;
          A[row][v * static_cast<std::size_t>(d) + static_cast<std::size_t>(j)] += value;
        }
    }
  return from_dense(A, n);
}

/// [points x d]
inline Kokkos::View<double**, Device> coordinates_of(std::vector<std::vector<int>> const& points, int d,
                                                     double shift = 0) {
  Kokkos::View<double**, Device> const result("coordinates", points.size(), static_cast<std::size_t>(d));
  auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), result);
  for (std::size_t v = 0; v < points.size(); ++v)
    for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) host(v, c) = points[v][c] + shift;
  Kokkos::deep_copy(result, host);
  return result;
}

/// Random near-null vectors.
inline detail::NearNull<double, Device> random_vectors(std::size_t n, std::size_t k, std::uint64_t seed) {
  detail::NearNull<double, Device> const result("near_null", n, k);
  auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), result);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) host(i, j) = number<double>(Numbers::reals, i * k + j, seed);
  Kokkos::deep_copy(result, host);
  return result;
}

/// 1 / a_ii, on the device.
inline Kokkos::View<double*, Device> inverse_diagonal_of(HostMatrix<double> const& A) {
  std::vector<double> result(A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      if (A.column(k) == i) result[i] = 1 / A.values[k];
  return to_device(result);
}

}  // namespace einkorn::test
