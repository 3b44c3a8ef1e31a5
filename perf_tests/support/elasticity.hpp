// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

/// Of einkorn.perf.multigrid.
namespace einkorn::perf::multigrid {

/// Linear elasticity of a cube of unit elements with trilinear displacements, Young's modulus 1, Poisson's ratio 0.3,
/// clamped at x = 0: n x n x n free nodes, x fastest, 3 displacements each, at most 81 entries per row.
class Elasticity {
 public:
  explicit Elasticity(int n) : n_(n), stiffness_(element_stiffness()) {}

  /// Appends the rows of all nodes: columns ascending.
  void assemble(std::vector<int>& offsets, std::vector<int>& columns, std::vector<double>& values) const {
    offsets.assign(1, 0);
    for (int node = 0; node < n_ * n_ * n_; ++node) {
      Point const a = point(node);
      for (int i = 0; i < 3; ++i) {
        for (int step = 0; step < 27; ++step) {
          Point const b{a[0] + step % 3 - 1, a[1] + step / 3 % 3 - 1, a[2] + step / 9 - 1};
          if (!is_free(b)) continue;
          for (int j = 0; j < 3; ++j) {
            columns.push_back(3 * ((b[2] * n_ + b[1]) * n_ + b[0] - 1) + j);
            values.push_back(entry(a, b, i, j));
          }
        }
        offsets.push_back(static_cast<int>(values.size()));
      }
    }
  }
  /// Coordinate c of a node.
  [[nodiscard]] double coordinate(int node, int c) const { return point(node)[static_cast<std::size_t>(c)]; }

 private:
  using Point = std::array<int, 3>;  // x of 1 .. n is free, 0 is clamped
  using Stiffness = std::array<std::array<double, 24>, 24>;

  [[nodiscard]] Point point(int node) const { return {1 + node % n_, node / n_ % n_, node / (n_ * n_)}; }
  [[nodiscard]] bool is_free(Point const& p) const {
    return p[0] >= 1 && p[0] <= n_ && p[1] >= 0 && p[1] < n_ && p[2] >= 0 && p[2] < n_;
  }
  /// Displacement i at a, j at b: the sum over the elements of both. An element is named by its lowest corner.
  [[nodiscard]] double entry(Point const& a, Point const& b, int i, int j) const {
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      Point low = a;
      for (std::size_t c = 0; c < 3; ++c) low[c] -= corner >> c & 1;
      int other = 0;
      bool is_inside = true;
      for (std::size_t c = 0; c < 3; ++c) {
        int const at = b[c] - low[c];
        is_inside = is_inside && at >= 0 && at <= 1 && low[c] >= 0 && low[c] < (c == 0 ? n_ : n_ - 1);
        other |= at << c;
      }
      if (is_inside)
        sum += stiffness_[static_cast<std::size_t>(3 * corner + i)][static_cast<std::size_t>(3 * other + j)];
    }
    return sum;
  }
  /// The integral of lambda d_i u_a d_j u_b + mu (d_j u_a d_i u_b + delta_ij grad u_a . grad u_b) by 2^3 Gauss points.
  static Stiffness element_stiffness() {
    constexpr double poisson = 0.3, lambda = poisson / ((1 + poisson) * (1 - 2 * poisson)),
                     mu = 0.5 / (1 + poisson);
    Stiffness result{};
    for (int point = 0; point < 8; ++point) {
      std::array<std::array<double, 3>, 8> gradient{};
      for (int corner = 0; corner < 8; ++corner)
        for (int c = 0; c < 3; ++c) {
          double product = 1;
          for (int d = 0; d < 3; ++d) {
            double const at = 0.5 + ((point >> d & 1) != 0 ? 0.5 : -0.5) / std::sqrt(3.0);
            bool const is_upper = (corner >> d & 1) != 0;
            product *= d == c ? (is_upper ? 1.0 : -1.0) : (is_upper ? at : 1 - at);
          }
          gradient[static_cast<std::size_t>(corner)][static_cast<std::size_t>(c)] = product;
        }
      for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b) {
          double dot = 0;
          for (std::size_t c = 0; c < 3; ++c) dot += gradient[a][c] * gradient[b][c];
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
              result[3 * a + i][3 * b + j] +=
                  0.125 * (lambda * gradient[a][i] * gradient[b][j] +
                           mu * (gradient[a][j] * gradient[b][i] + (i == j ? dot : 0.0)));
        }
    }
    return result;
  }

  int n_;
  Stiffness stiffness_;
};

}  // namespace einkorn::perf::multigrid
