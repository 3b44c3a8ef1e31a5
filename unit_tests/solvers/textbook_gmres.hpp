// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

namespace einkorn::test {

/// Restarted GMRES with modified Gram-Schmidt, preconditioned from the right, from x = 0. T: the scalar of all
/// arithmetic. Source: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Algorithms 6.9 and 9.5.
template <class T>
struct TextbookGmres {
  using Book = Textbook<T>;
  using Vector = std::vector<T>;

  Vector x;
  std::vector<double> history;  // |b - A x| after 0, 1, ... steps, of the projected system
  [[nodiscard]] std::size_t iterations() const { return history.size() - 1; }

  static T conj(T const& value) {
    if constexpr (std::is_floating_point_v<T>)
      return value;
    else
      return std::conj(value);
  }
  static auto exact_norm(Vector const& v) { return std::sqrt(std::abs(Book::dot(v, v))); }

  /// inverse: the diagonal of M^-1, or empty.
  template <class Matrix, class V>
  static TextbookGmres solve(Matrix const& A, std::vector<V> const& b, std::size_t restart, std::size_t limit,
                             double tolerance, std::vector<V> const& inverse = {}) {
    TextbookGmres run;
    auto const d = Book::convert(inverse);
    auto const rhs = Book::convert(b);
    run.x = Vector(A.rows());
    double const target = tolerance * Book::norm(rhs);
    run.history.push_back(Book::norm(rhs));
    while (run.iterations() < limit && run.history.back() > target) {
      auto const r = Book::sum(rhs, T(-1), Book::product(A, run.x));
      auto const beta = exact_norm(r);
      std::vector<Vector> basis{scaled_by(r, T(1) / T(beta))}, columns;
      Vector g{T(beta)}, cosines, sines;
      while (columns.size() < restart && run.iterations() < limit && run.history.back() > target) {
        auto w = Book::product(A, Book::scaled(d, basis.back()));
        Vector h;
        for (auto const& v : basis) {
          h.push_back(Book::dot(v, w));
          w = Book::sum(std::move(w), -h.back(), v);
        }
        auto const next = exact_norm(w);
        for (std::size_t j = 0; j < cosines.size(); ++j) {
          T const upper = cosines[j] * h[j] + sines[j] * h[j + 1];
          h[j + 1] = cosines[j] * h[j + 1] - conj(sines[j]) * h[j];
          h[j] = upper;
        }
        T const f = h.back();
        auto const size = std::sqrt(std::abs(f) * std::abs(f) + next * next);
        T const phase = std::abs(f) > 0 ? f / std::abs(f) : T(1);
        cosines.push_back(T(std::abs(f) / size));
        sines.push_back(phase * (next / size));
        h.back() = phase * size;
        g.push_back(-conj(sines.back()) * g.back());
        g[g.size() - 2] *= cosines.back();
        columns.push_back(h);
        basis.push_back(next > 0 ? scaled_by(w, T(1) / T(next)) : w);
        run.history.push_back(static_cast<double>(std::abs(g.back())));
      }
      Vector update(A.rows());
      for (std::size_t j = columns.size(); j-- > 0;) {
        T const y = g[j] / columns[j][j];
        for (std::size_t i = 0; i < j; ++i) g[i] -= y * columns[j][i];
        update = Book::sum(std::move(update), y, basis[j]);
      }
      run.x = Book::sum(std::move(run.x), T(1), Book::scaled(d, update));
    }
    return run;
  }

 private:
  static Vector scaled_by(Vector v, T const& factor) {
    for (auto& entry : v) entry *= factor;
    return v;
  }
};

}  // namespace einkorn::test
