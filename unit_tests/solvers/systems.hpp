// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Linear systems whose condition numbers are known.

#include "../support/battery.hpp"
#include "../support/host_matrix.hpp"
#include "../support/oracle.hpp"
#include "../support/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// A x = b. kappa: the condition number of A, where it is known.
template <class S>
struct System {
  std::string name;
  HostMatrix<S> A;
  double kappa = 0;

  [[nodiscard]] std::vector<S> b(std::uint64_t seed = 7) const {
    return numbers<S>(Numbers::reals, A.rows(), seed);
  }
};

inline std::string lattice_name(std::size_t nx, std::size_t ny, std::size_t nz) {
  return std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) + " points";
}

/// The Laplacian of 3, 5 or 7 points and Dirichlet boundaries on nx x ny x nz points, plus `shift` times the
/// identity. Its eigenvalues are shift + sum over the dimensions of 2 - 2 cos(k pi / (n + 1)), k = 1 .. n.
inline System<double> lattice(std::size_t nx, std::size_t ny = 1, std::size_t nz = 1, double shift = 0) {
  std::size_t const n[] = {nx, ny, nz}, strides[] = {1, nx, nx * ny};
  int const size = static_cast<int>(nx * ny * nz);
  System<double> system{lattice_name(nx, ny, nz), {size, size, {0}, {}, {}}, 0};
  auto& A = system.A;
  double least = shift, most = shift, diagonal = shift;
  for (auto const points : n)
    if (points > 1) {
      double const angle = std::acos(-1.0) / static_cast<double>(points + 1);
      least += 2 - 2 * std::cos(angle);
      most += 2 + 2 * std::cos(angle);
      diagonal += 2;
    }
  auto const add = [&A](std::size_t column, double value) {
    A.columns.push_back(static_cast<int>(column));
    A.values.push_back(value);
  };
  for (std::size_t i = 0; i < A.rows(); ++i) {
    auto const at = [&](int d) { return i / strides[d] % n[d]; };
    for (int const d : {2, 1, 0})
      if (at(d) > 0) add(i - strides[d], -1);
    add(i, diagonal);
    for (int const d : {0, 1, 2})
      if (at(d) + 1 < n[d]) add(i + strides[d], -1);
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  system.kappa = most / least;
  return system;
}

/// The system with row and column i as row and column i stride mod n, with n and stride coprime.
inline System<double> shuffled(System<double> system, std::size_t stride) {
  std::vector<std::size_t> to(system.A.rows());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = i * stride % to.size();
  std::vector<std::vector<std::pair<int, double>>> rows(to.size());
  auto const& A = system.A;
  for (std::size_t i = 0; i < to.size(); ++i)
    for (auto k = static_cast<std::size_t>(A.offsets[i]); k < static_cast<std::size_t>(A.offsets[i + 1]); ++k)
      rows[to[i]].emplace_back(static_cast<int>(to[static_cast<std::size_t>(A.columns[k])]), A.values[k]);
  HostMatrix<double> B{A.num_rows, A.num_cols, {0}, {}, {}};
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (auto const& [column, value] : row) {
      B.columns.push_back(column);
      B.values.push_back(value);
    }
    B.offsets.push_back(static_cast<int>(B.columns.size()));
  }
  system.A = B;
  return system;
}

/// n eigenvalues from 1 / kappa to 1, denser at the ends: (1 + 1/kappa) / 2 - (1 - 1/kappa) / 2 cos(pi i / (n -
/// 1)). CG then takes about n iterations, and as many in double as in long double. Where eigenvalues are far
/// apart at the lower end (geometric progressions of few), rounding rules: for n = 200 and kappa = 1e4 the
/// textbook needs 523 iterations in long double and 561 in double for 1e-8.
inline std::vector<double> spectrum(std::size_t n, double kappa) {
  std::vector<double> eigenvalues(n);
  double const pi = std::acos(-1.0);
  for (std::size_t i = 0; i < n; ++i)
    eigenvalues[i] = (1 + 1 / kappa) / 2 -
                     (1 - 1 / kappa) / 2 * std::cos(pi * static_cast<double>(i) / static_cast<double>(n - 1));
  return eigenvalues;
}

/// A diagonal matrix with that spectrum, in an order that leads nowhere.
inline System<double> diagonal_spectrum(std::size_t n, double kappa) {
  System<double> system{"diagonal, kappa " + std::to_string(kappa),
                        {static_cast<int>(n), static_cast<int>(n), {0}, {}, {}},
                        kappa};
  auto const eigenvalues = spectrum(n, kappa);
  for (std::size_t i = 0; i < n; ++i) {
    system.A.columns.push_back(static_cast<int>(i));
    system.A.values.push_back(eigenvalues[i * 7 % n]);  // n is no multiple of 7
    system.A.offsets.push_back(static_cast<int>(i + 1));
  }
  return system;
}

/// Q D Q with D of that spectrum and the reflection Q = I - 2 v v^T, |v| = 1, v random: dense, symmetric.
inline System<double> rotated_spectrum(std::size_t n, double kappa) {
  std::vector<long double> v(n);
  long double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = number<double>(Numbers::reals, i, 11);
    square += v[i] * v[i];
  }
  for (auto& entry : v) entry /= std::sqrt(square);
  auto const d = spectrum(n, kappa);
  long double vdv = 0;
  for (std::size_t i = 0; i < n; ++i) vdv += v[i] * d[i] * v[i];
  std::vector<std::vector<double>> dense(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      dense[i][j] =
          static_cast<double>((i == j ? d[i] : 0.0L) - 2 * v[i] * v[j] * (d[i] + d[j]) + 4 * vdv * v[i] * v[j]);
  return {"dense, kappa " + std::to_string(kappa), from_dense(dense, n), kappa};
}

/// -Laplacian of nx x ny points with a wind along x, by central differences: a_{i, i +- 1} = -1 +- wind.
/// Not symmetric; its symmetric part is the Laplacian.
inline System<double> convection(std::size_t nx, std::size_t ny, double wind) {
  auto system = lattice(nx, ny);
  system.name = "convection " + std::to_string(wind) + " on " + system.name;
  for (std::size_t i = 0; i < system.A.rows(); ++i)
    for (auto k = system.A.begin(i); k < system.A.end(i); ++k) {
      if (system.A.column(k) == i + 1) system.A.values[k] += wind;
      if (system.A.column(k) + 1 == i) system.A.values[k] -= wind;
    }
  return system;
}

/// A random pattern whose diagonal is `dominance` times the sum of the other moduli of its row.
template <class S>
System<S> dominant(int n, double dominance) {
  auto const pattern = random_pattern(n, n, 5);
  System<S> system{"diagonally dominant, random", {n, n, {0}, {}, {}}, 0};
  auto& A = system.A;
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double sum = 0;
    auto const first = A.values.size();
    std::size_t at = first;
    for (auto k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      auto const column = pattern.columns[static_cast<std::size_t>(k)];
      if (column == static_cast<std::int64_t>(i)) continue;
      if (column < static_cast<std::int64_t>(i)) at = A.values.size() + 1;
      A.columns.push_back(static_cast<int>(column));
      A.values.push_back(number<S>(Numbers::reals, static_cast<std::uint64_t>(k), 3));
      sum += static_cast<double>(modulus(widen<S>(A.values.back())));
    }
    A.columns.insert(A.columns.begin() + static_cast<std::ptrdiff_t>(at), static_cast<int>(i));
    A.values.insert(A.values.begin() + static_cast<std::ptrdiff_t>(at),
                    S(static_cast<real_type<S>>(dominance * sum + 1)));
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  return system;
}

/// The same system in another scalar: rounded, or, for a complex one, P A P^* with a diagonal P of 1, i, -1 and
/// -i, which is Hermitian where A is symmetric, and has the same spectrum.
template <class S>
System<S> as(System<double> const& system) {
  auto const& A = system.A;
  System<S> to{
      system.name, {A.num_rows, A.num_cols, A.offsets, A.columns, std::vector<S>(A.nnz())}, system.kappa};
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      if constexpr (is_complex<S>) {
        constexpr int real[] = {1, 0, -1, 0}, imag[] = {0, 1, 0, -1};
        auto const turns = (noise(i, 9) + 4 - noise(A.column(k), 9) % 4) % 4;
        to.A.values[k] = S(A.values[k] * real[turns], A.values[k] * imag[turns]);
      } else {
        to.A.values[k] = static_cast<S>(A.values[k]);
      }
    }
  return to;
}

/// D A D with D of 1, 2, 4, ... 64 in turn (float: 1 and 2): what Jacobi is for.
template <class S>
System<S> badly_scaled(System<S> system) {
  int const powers = sizeof(real_type<S>) == sizeof(double) ? 7 : 2;
  auto const scale = [&](std::size_t i) {
    return static_cast<real_type<S>>(1 << static_cast<int>(i) % powers);
  };
  for (std::size_t i = 0; i < system.A.rows(); ++i)
    for (auto k = system.A.begin(i); k < system.A.end(i); ++k)
      system.A.values[k] = system.A.values[k] * (scale(i) * scale(system.A.column(k)));
  system.name += ", badly scaled";
  system.kappa *= 1 << 2 * (powers - 1);
  return system;
}

/// Symmetric positive definite ones, kappa at most 1e4.
template <class S>
std::vector<System<S>> definite_systems() {
  return {as<S>(lattice(100)),
          as<S>(lattice(25, 30)),
          as<S>(lattice(9, 10, 11)),
          as<S>(diagonal_spectrum(200, 1e2)),
          as<S>(diagonal_spectrum(200, 1e4)),
          as<S>(rotated_spectrum(48, 1e3))};
}

/// |b - A x|, in long double.
template <class S, class V>
double true_residual(HostMatrix<S> const& A, std::vector<V> const& b, std::vector<V> const& x) {
  auto const products = row_sums<V>(A, x);
  long double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    auto const r = modulus(widen<V>(b[i]) - products.sum[i]);
    sum += r * r;
  }
  return static_cast<double>(std::sqrt(sum));
}

/// |u - v|, in long double. U: of the library, T: of the oracle.
template <class U, class T>
double distance(std::vector<U> const& u, std::vector<T> const& v) {
  long double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    auto const d = modulus(Textbook<T>::convert(u[i]) - v[i]);
    sum += d * d;
  }
  return static_cast<double>(std::sqrt(sum));
}

template <class S>
double norm(std::vector<S> const& v) {
  long double sum = 0;
  for (auto const& entry : v) sum += modulus(widen<S>(entry)) * modulus(widen<S>(entry));
  return static_cast<double>(std::sqrt(sum));
}

/// The largest sum of the moduli of a row.
template <class S>
double infinity_norm(HostMatrix<S> const& A) {
  auto const sums = row_sums<S>(A, std::vector<S>(A.cols(), S(1)));
  return A.rows() == 0 ? 0.0 : static_cast<double>(*std::max_element(sums.moduli.begin(), sums.moduli.end()));
}

/// The diagonal of D^-1.
template <class S>
std::vector<S> inverse_diagonal(HostMatrix<S> const& A) {
  std::vector<S> inverse(A.rows(), S(1));
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      if (A.column(k) == i) inverse[i] = S(1) / A.values[k];
  return inverse;
}

}  // namespace einkorn::test
