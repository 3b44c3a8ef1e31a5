// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Nonsymmetric systems A x = b, from formulas, with the iterations that others take to solve them. Needs
// neither Kokkos nor GoogleTest: perf_tests/bicgstab_iterations.cpp takes the same set.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::nonsymmetric {

struct System {
  std::string name;
  std::vector<int> offsets{0}, columns;
  std::vector<double> values, b;
  /// Iterations of BiCGStab from x = 0 until the solver says that |r| <= 1e-8 |b|: of Eigen 3.4 and SciPy 1.10,
  /// without and with the diagonal as preconditioner. Another order of summation changes them by some percent.
  int eigen = 0, scipy = 0, eigen_jacobi = 0, scipy_jacobi = 0;

  [[nodiscard]] int size() const { return static_cast<int>(offsets.size()) - 1; }
  void add_row(std::map<int, double> const& row) {
    for (auto const& [column, value] : row) {
      columns.push_back(column);
      values.push_back(value);
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
};

enum class Flow { along_x, oblique, eddy, spiral };
enum class Differences { central, upwind };
/// b = 1, or A 1.
enum class RightHandSide { ones, row_sums };

struct Grid {
  int nx, ny = 1, nz = 1;
};

/// The wind at a point of the unit square or cube, of speed 1 or about.
inline void wind_at(Flow flow, double const* at, double* wind) {
  double const x = at[0], y = at[1], z = at[2];
  switch (flow) {
    case Flow::along_x:
      wind[0] = 1, wind[1] = 0, wind[2] = 0;
      break;
    case Flow::oblique:
      wind[0] = 1, wind[1] = 0.5, wind[2] = 0.25;
      break;
    case Flow::eddy:  // closed stream lines
      wind[0] = 4 * x * (x - 1) * (1 - 2 * y), wind[1] = -4 * y * (y - 1) * (1 - 2 * x), wind[2] = 0;
      break;
    default:
      wind[0] = y - 0.5, wind[1] = 0.5 - x, wind[2] = z - 0.5;
  }
}

/// -Laplacian + peclet wind . gradient, times h^2, on a grid of the unit square or cube with Dirichlet
/// boundaries; 5 or 7 points.
inline System flow_system(std::string name, Grid const& grid, double peclet, Flow flow,
                          Differences differences) {
  System system;
  system.name = std::move(name);
  int const n[] = {grid.nx, grid.ny, grid.nz}, strides[] = {1, grid.nx, grid.nx * grid.ny};
  double const h = 1.0 / (grid.nx + 1);
  for (int i = 0; i < grid.nx * grid.ny * grid.nz; ++i) {
    int const at[] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    double const point[] = {(at[0] + 1) * h, (at[1] + 1) * h, (at[2] + 1) * h};
    double wind[3];
    wind_at(flow, point, wind);
    std::map<int, double> row;
    for (int d = 0; d < 3; ++d) {
      if (n[d] == 1) continue;
      double const p = peclet * wind[d] * h;
      bool const is_central = differences == Differences::central;
      double const lower = is_central ? -1 - p / 2 : -1 - std::fmax(p, 0.0);
      double const upper = is_central ? -1 + p / 2 : -1 + std::fmin(p, 0.0);
      row[i] += is_central ? 2 : 2 + std::fabs(p);
      if (at[d] > 0) row[i - strides[d]] += lower;
      if (at[d] + 1 < n[d]) row[i + strides[d]] += upper;
    }
    system.add_row(row);
  }
  return system;
}

/// A number in [0, 1) that depends on `i` alone.
inline double fraction(std::uint64_t i) {
  i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((i ^ i >> 31) >> 11) * 0x1p-53;
}

/// Nodes with conductances of 1e-3 to 1e3 to some others and to ground, and currents that the voltages
/// elsewhere control: a fifth of the entries, without a partner across the diagonal.
inline System circuit(std::string name, int size, double to_ground) {
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(size));
  auto const conduct = [&](int i, int j, double g) {
    rows[static_cast<std::size_t>(i)][i] += g;
    rows[static_cast<std::size_t>(i)][j] -= g;
  };
  for (int i = 0; i < size; ++i) {
    auto const k = static_cast<std::uint64_t>(i);
    rows[static_cast<std::size_t>(i)][i] += to_ground;
    for (std::uint64_t const d : {1u, 2u}) {
      int const j = static_cast<int>(fraction(7 * k + d) * size) % size;
      double const g = std::pow(10.0, 6 * fraction(11 * k + d) - 3);
      if (j == i) continue;
      conduct(i, j, g);
      conduct(j, i, g);
    }
    int const controls = static_cast<int>(fraction(13 * k + 5) * size) % size;
    if (controls != i) rows[static_cast<std::size_t>(i)][controls] += 0.5 * fraction(17 * k);
  }
  System system;
  system.name = std::move(name);
  for (auto const& row : rows) system.add_row(row);
  return system;
}

/// Random entries of either sign, six a row, and `dominance` times their sum on the diagonal.
inline System random_rows(std::string name, int size, double dominance) {
  System system;
  system.name = std::move(name);
  for (int i = 0; i < size; ++i) {
    std::map<int, double> row;
    double sum = 0;
    for (std::uint64_t k = 0; k < 6; ++k) {
      auto const at = 6 * static_cast<std::uint64_t>(i) + k;
      int const j = static_cast<int>(fraction(3 * at) * size) % size;
      double const value = 2 * fraction(5 * at + 1) - 1;
      if (j == i || row.count(j) > 0) continue;
      row[j] = value;
      sum += std::fabs(value);
    }
    row[i] = dominance * sum;
    system.add_row(row);
  }
  return system;
}

/// The counts are those of perf_tests/report/bicgstab_iterations.py.
inline std::vector<System> systems() {
  using enum Flow;
  using enum Differences;
  using enum RightHandSide;
  std::vector<System> set;
  auto const add = [&](System system, RightHandSide side, int eigen, int scipy, int eigen_jacobi,
                       int scipy_jacobi) {
    auto const n = static_cast<std::size_t>(system.size());
    system.b.assign(n, 1.0);
    if (side == row_sums)
      for (std::size_t i = 0; i < n; ++i) {
        system.b[i] = 0;
        for (int k = system.offsets[i]; k < system.offsets[i + 1]; ++k)
          system.b[i] += system.values[static_cast<std::size_t>(k)];
      }
    system.eigen = eigen;
    system.scipy = scipy;
    system.eigen_jacobi = eigen_jacobi;
    system.scipy_jacobi = scipy_jacobi;
    set.push_back(std::move(system));
  };
  Grid const square{100, 100}, small_square{60, 60}, eddy_square{50, 50}, cube{16, 16, 16},
      spiral_cube{15, 15, 15};
  add(flow_system("along x, 100^2, Pe 50, central", square, 50, along_x, central), row_sums, 157, 156, 157,
      156);
  add(flow_system("along x, 100^2, Pe 100, central", square, 100, along_x, central), ones, 155, 159, 155, 159);
  add(flow_system("along x, 100^2, Pe 400, central", square, 400, along_x, central), row_sums, 334, 330, 334,
      330);
  add(flow_system("along x, 100^2, Pe 200, upwind", square, 200, along_x, upwind), ones, 142, 140, 142, 137);
  add(flow_system("along x, 100^2, Pe 1000, upwind", square, 1000, along_x, upwind), row_sums, 136, 134, 136,
      136);
  add(flow_system("oblique, 60^2, Pe 100, central", small_square, 100, oblique, central), ones, 111, 111, 111,
      111);
  add(flow_system("oblique, 60^2, Pe 200, central", small_square, 200, oblique, central), row_sums, 197, 201,
      197, 201);
  add(flow_system("oblique, 60^2, Pe 100, upwind", small_square, 100, oblique, upwind), ones, 112, 115, 109,
      112);
  add(flow_system("oblique, 60^2, Pe 4000, upwind", small_square, 4000, oblique, upwind), row_sums, 123, 128,
      123, 127);
  add(flow_system("eddy, 50^2, Pe 100, central", eddy_square, 100, eddy, central), ones, 133, 133, 133, 133);
  add(flow_system("eddy, 50^2, Pe 200, central", eddy_square, 200, eddy, central), row_sums, 205, 201, 205,
      201);
  add(flow_system("eddy, 50^2, Pe 1000, upwind", eddy_square, 1000, eddy, upwind), ones, 242, 244, 197, 200);
  add(flow_system("oblique, 16^3, Pe 200, central", cube, 200, oblique, central), row_sums, 247, 250, 243, 246);
  add(flow_system("oblique, 16^3, Pe 1000, upwind", cube, 1000, oblique, upwind), ones, 36, 36, 36, 36);
  add(flow_system("spiral, 15^3, Pe 200, central", spiral_cube, 200, spiral, central), ones, 82, 81, 81, 80);
  add(flow_system("spiral, 15^3, Pe 1000, upwind", spiral_cube, 1000, spiral, upwind), row_sums, 69, 69, 56,
      56);
  add(circuit("circuit of 3000 nodes", 3000, 1.0), ones, 348, 318, 419, 262);
  add(random_rows("random, 5000 rows, dominance 0.7", 5000, 0.7), ones, 31, 31, 25, 25);
  return set;
}

}  // namespace einkorn::nonsymmetric
