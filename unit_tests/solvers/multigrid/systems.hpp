// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../../support/host_matrix.hpp"

#include <einkorn/solvers/pcg.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace einkorn::test {

using Host = HostMatrix<double>;

/// 7-point finite volumes on n x n x n points with the coefficient of a face, zero Dirichlet values outside, or
/// zero fluxes (Neumann).
template <class Face>
Host seven_point(int n, Face const& face, bool is_neumann = false) {
  Host A{n * n * n, n * n * n, {0}, {}, {}};
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        std::size_t const first = A.values.size();
        std::size_t diagonal = first;
        double sum = 0;
        for (int const side : {-3, -2, -1, 0, 1, 2, 3}) {
          int const axis = std::abs(side), step = side < 0 ? -1 : 1;
          int const X = x + (axis == 1 ? step : 0), Y = y + (axis == 2 ? step : 0),
                    Z = z + (axis == 3 ? step : 0);
          bool const is_inside = std::min({X, Y, Z}) >= 0 && std::max({X, Y, Z}) < n;
          if (side == 0) diagonal = A.values.size();
          if (side != 0 && (is_inside || !is_neumann)) sum += face(x, y, z, X, Y, Z);
          if (!is_inside) continue;
          A.columns.push_back((Z * n + Y) * n + X);
          A.values.push_back(side == 0 ? 0.0 : -face(x, y, z, X, Y, Z));
        }
        A.values[diagonal] = sum;
        A.offsets.push_back(static_cast<int>(A.values.size()));
      }
  return A;
}
inline Host poisson(int n) {
  return seven_point(n, [](int, int, int, int, int, int) { return 1.0; });
}
/// A checkerboard of 4 x 4 x 4 cubes with the coefficients 1 and `jump`; harmonic means at their faces.
inline Host jumps(int n, double jump) {
  return seven_point(n, [n, jump](int x, int y, int z, int X, int Y, int Z) {
    auto const at = [&](int a, int b, int c) {
      return (a * 4 / n + b * 4 / n + c * 4 / n) % 2 != 0 ? jump : 1.0;
    };
    double const p = at(x, y, z), q = at(X, Y, Z);
    return 2 * p * q / (p + q);
  });
}

/// Convection and diffusion, upwind: the velocity times the mesh width over the diffusivity is (peclet, peclet / 2,
/// peclet / 4).
inline Host convection(int n, double peclet) {
  return seven_point(n, [peclet](int x, int y, int z, int X, int Y, int Z) {
    return 1 + std::max(0.0, -peclet * ((X - x) + 0.5 * (Y - y) + 0.25 * (Z - z)));
  });
}

struct PcgResult {
  SolveReport report;
  std::vector<double> x;
};

template <class M>
PcgResult solve(Csr<double, int, int, Device> const& A, M const& preconditioner, double right_hand_side = 1) {
  Kokkos::View<double*, Device> const x("x", static_cast<std::size_t>(A.num_rows)), b("b", x.extent(0));
  Kokkos::deep_copy(b, right_hand_side);
  SolverOptions options;
  options.max_iterations = 200;
  auto const report = pcg(Space(), A, preconditioner, b, x, options);
  return {report, to_host(x)};
}

template <class M>
std::vector<double> applied(M const& preconditioner, std::vector<double> const& r) {
  Kokkos::View<double*, Device> const z("z", r.size());
  preconditioner.apply(Space(), to_device(r), z);
  return to_host(z);
}

inline std::vector<double> waves(std::size_t n, double frequency) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(frequency * static_cast<double>(i + 1));
  return x;
}

inline double dot(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A graph Laplacian with 0.01 more on the diagonal: `hubs` nodes with n / 8 random neighbours each, the others with
/// `degree` random neighbours.
inline Host random_graph(int n, int degree, int hubs) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n));
  std::uint64_t state = 7;
  auto const connect = [&](int i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int const j = static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
    rows[static_cast<std::size_t>(i)].push_back(j);
    rows[static_cast<std::size_t>(j)].push_back(i);
  };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < (i < hubs ? n / 8 : degree / 2); ++k) connect(i);
  Host A{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row.push_back(i);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (int const j : row) {
      A.columns.push_back(j);
      A.values.push_back(i == j ? static_cast<double>(row.size()) - 0.99 : -1.0);
    }
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  return A;
}

}  // namespace einkorn::test
