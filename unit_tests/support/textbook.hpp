// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {

/// The methods as published, sequential on the host, from x = 0.
/// @tparam T the scalar of all arithmetic: double, long double, or std::complex of these
///
/// Sources: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Algorithms 6.18 and 9.1; van der Vorst,
/// SIAM J. Sci. Stat. Comput. 13(2), 1992, with M from the right.
template <class T>
struct Textbook {
  using Vector = std::vector<T>;

  std::vector<Vector> x;        // after 0, 1, ... iterations, as many as requested
  std::vector<double> history;  // |r|, recursive, after 0, 1, ... iterations
  [[nodiscard]] std::size_t iterations() const { return history.size() - 1; }

  static T convert(auto const& value) {
    if constexpr (requires { value.real(); })
      return T(value.real(), value.imag());
    else
      return T(value);
  }
  template <class V>
  static Vector convert(std::vector<V> const& from) {
    Vector to(from.size());
    std::transform(from.begin(), from.end(), to.begin(), [](V const& value) { return convert(value); });
    return to;
  }
  template <class Matrix>
  static Vector product(Matrix const& A, Vector const& x) {
    Vector y(A.rows());
    for (std::size_t i = 0; i < A.rows(); ++i)
      for (auto k = A.begin(i); k < A.end(i); ++k) y[i] += convert(A.values[k]) * x[A.column(k)];
    return y;
  }
  static T dot(Vector const& u, Vector const& v) {
    T sum{};
    for (std::size_t i = 0; i < u.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>)
        sum += u[i] * v[i];
      else
        sum += std::conj(u[i]) * v[i];
    }
    return sum;
  }
  static double norm(Vector const& v) { return static_cast<double>(std::sqrt(std::abs(dot(v, v)))); }
  /// u + a v.
  static Vector sum(Vector u, T const& a, Vector const& v) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += a * v[i];
    return u;
  }
  /// d_i v_i, or v if d is empty.
  static Vector scaled(Vector const& d, Vector v) {
    if (!d.empty())
      for (std::size_t i = 0; i < v.size(); ++i) v[i] *= d[i];
    return v;
  }

  /// CG; inverse: the diagonal of M^-1, or empty. At most `limit` iterations, until |r| <= tolerance |b|.
  template <class Matrix, class V>
  static Textbook cg(Matrix const& A, std::vector<V> const& b, std::size_t limit, double tolerance,
                     std::vector<V> const& inverse = {}, std::size_t keep = 0) {
    Textbook run;
    auto const d = convert(inverse);
    auto r = convert(b), z = scaled(d, r), p = z;
    Vector x(A.rows());
    T rho = dot(r, z);
    double const target = tolerance * norm(r);
    run.add(x, r, keep);
    while (run.iterations() < limit && run.history.back() > target) {
      auto const q = product(A, p);
      T const alpha = rho / dot(p, q);
      x = sum(std::move(x), alpha, p);
      r = sum(std::move(r), -alpha, q);
      z = scaled(d, r);
      T const before = std::exchange(rho, dot(r, z));
      p = sum(z, rho / before, p);
      run.add(x, r, keep);
    }
    return run;
  }

  template <class Matrix, class V>
  static Textbook bicgstab(Matrix const& A, std::vector<V> const& b, std::size_t limit, double tolerance,
                           std::vector<V> const& inverse = {}, std::size_t keep = 0) {
    Textbook run;
    auto const d = convert(inverse);
    auto r = convert(b), p = r;
    auto const shadow = r;
    Vector x(A.rows());
    T rho = dot(shadow, r);
    double const target = tolerance * norm(r);
    run.add(x, r, keep);
    while (run.iterations() < limit && run.history.back() > target) {
      auto const p_hat = scaled(d, p), v = product(A, p_hat);
      T const alpha = rho / dot(shadow, v);
      auto const s = sum(r, -alpha, v), s_hat = scaled(d, s);
      x = sum(std::move(x), alpha, p_hat);
      if (norm(s) <= target) {
        run.add(x, s, keep);
        break;
      }
      auto const t = product(A, s_hat);
      T const omega = dot(t, s) / dot(t, t);
      x = sum(std::move(x), omega, s_hat);
      r = sum(s, -omega, t);
      T const before = std::exchange(rho, dot(shadow, r));
      p = sum(r, rho / before * alpha / omega, sum(p, -omega, v));
      run.add(x, r, keep);
    }
    return run;
  }

 private:
  void add(Vector const& xk, Vector const& r, std::size_t keep) {
    if (x.size() <= keep) x.push_back(xk);
    history.push_back(norm(r));
  }
};

}  // namespace einkorn::test
