// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/elasticity.hpp"
#include "support/matrices.hpp"
#include "support/multigrid_system.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

/// Of einkorn.perf.multigrid.
namespace einkorn::perf::multigrid {

template <class T>
Kokkos::View<T*, Device> on_device(std::vector<T> const& from) {
  Kokkos::View<T*, Device> const view("einkorn::perf::array", from.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace>(from.data(), from.size()));
  return view;
}

inline Matrix matrix_of(std::vector<int> const& offsets, std::vector<int> const& columns,
                        std::vector<double> const& values) {
  auto const rows = static_cast<int>(offsets.size()) - 1;
  return {rows, rows, on_device(offsets), on_device(columns), on_device(values)};
}

/// 7-point finite volumes on n x n x n points with zero Dirichlet values; face(p, q) is the coefficient between
/// the points p and q, which may be outside.
template <class Face>
Matrix seven_point(int n, Face const& face) {
  std::vector<int> offsets{0}, columns;
  std::vector<double> values;
  auto const size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  offsets.reserve(size + 1);
  columns.reserve(7 * size);
  values.reserve(7 * size);
  using Point = std::array<int, 3>;
  for (int row = 0; row < n * n * n; ++row) {
    Point const p{row % n, row / n % n, row / (n * n)};
    double sum = 0;
    std::size_t diagonal = 0;
    for (int const side : {-3, -2, -1, 0, 1, 2, 3}) {
      Point q = p;
      auto const axis = static_cast<std::size_t>(std::max(std::abs(side) - 1, 0));
      if (side != 0) q[axis] += side < 0 ? -1 : 1;
      double const coefficient = side == 0 ? 0.0 : face(p, q);
      sum += coefficient;
      if (side == 0) diagonal = values.size();
      if (q[axis] < 0 || q[axis] >= n) continue;
      columns.push_back((q[2] * n + q[1]) * n + q[0]);
      values.push_back(-coefficient);
    }
    values[diagonal] = sum;
    offsets.push_back(static_cast<int>(values.size()));
  }
  return matrix_of(offsets, columns, values);
}

inline MatrixProblem elasticity(int n) {
  Elasticity const cube(n);
  std::vector<int> offsets, columns;
  std::vector<double> values;
  cube.assemble(offsets, columns, values);
  Coordinates const coordinates(
      "einkorn::perf::coordinates",
      static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 3);
  auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), coordinates);
  for (int node = 0; node < n * n * n; ++node)
    for (int c = 0; c < 3; ++c) host(node, c) = cube.coordinate(node, c);
  Kokkos::deep_copy(coordinates, host);
  return {matrix_of(offsets, columns, values), coordinates};
}

/// NAME:N or NAME:N:FACTOR of --problem.
struct Fields {
  int n = 0;
  double factor = 1;
};
inline Fields read_fields(std::string const& problem, bool has_factor) {
  auto const fields = einkorn::detail::split(problem, ':');
  Fields result;
  bool const is_valid = fields.size() == (has_factor ? 3u : 2u) &&
                        einkorn::detail::read_number(fields[1], result.n) && result.n >= 1 &&
                        result.n <= (has_factor ? 600 : 190) &&
                        (!has_factor || einkorn::detail::read_number(fields[2], result.factor)) &&
                        result.factor > 0 && std::isfinite(result.factor);
  require<InvalidArgument>(is_valid, [&] {
    return "--problem " + problem + ": expected " + std::string(fields[0]) +
           (has_factor ? ":N:FACTOR with N of 1 to 600 and a positive FACTOR" : ":N with N of 1 to 190");
  });
  return result;
}

/// The problem of --problem. @throws InvalidArgument for a text that is none, and the exceptions of the reader
inline MatrixProblem make_problem(Exec const& exec, std::string const& problem) {
  auto const name = std::string(einkorn::detail::split(problem, ':')[0]);
  if (name == "elasticity") return elasticity(read_fields(problem, false).n);
  if (name == "anisotropic") {
    auto const [n, factor] = read_fields(problem, true);
    return {
        seven_point(n, [factor = factor](auto const& p, auto const& q) { return p[0] == q[0] ? 1.0 : factor; }),
        {}};
  }
  if (name == "jumps") {
    auto const [n, factor] = read_fields(problem, true);
    return {seven_point(n,
                        [n = n, factor = factor](auto const& p, auto const& q) {
                          auto const at = [&](auto const& x) {
                            return (x[0] * 4 / n + x[1] * 4 / n + x[2] * 4 / n) % 2 != 0 ? factor : 1.0;
                          };
                          return 2 * at(p) * at(q) / (at(p) + at(q));  // harmonic mean
                        }),
            {}};
  }
  bool const is_stencil = name == "stencil7" || name == "stencil27";
  return {load_matrix<double, int, int>(exec, is_stencil ? "gen:" + problem : problem), {}};
}

}  // namespace einkorn::perf::multigrid
