// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <cstddef>
#include <memory>
#include <utility>

/// Textbook loops with one library call per operation and scalars on the host. A Library has
///   multiply(x, y)      y <- A x
///   dot(x, y)           x.y, on the host
///   axpy(a, x, y)       y <- y + a x
///   xpay(x, a, y)       y <- x + a y; moves xpay_vectors vectors
///   precondition(r, z)  z <- D^-1 r
///   copy(x, y)          y <- x
///   zero(y)             y <- 0
/// The loops return the number of iterations: fewer than requested if the residual is 0 or NaN.
namespace einkorn::perf {

/// n-vectors that one iteration moves. reads_norm: r.r is computed in addition to the dots of the method.
constexpr std::size_t textbook_vectors(Method method, std::size_t xpay_vectors, bool reads_norm) {
  std::size_t const norm = reads_norm && method != Method::cg ? 1 : 0;
  switch (method) {
    case Method::cg:
      return 2 + 2 + 3 + 3 + 1 + xpay_vectors;  // A p; p.q; x; r; r.r; p
    case Method::jacobi_pcg:
      return 2 + 2 + 3 + 3 + 3 + 2 + xpay_vectors + norm;  // A p; p.q; x; r; z; r.z; p
    default:
      // p - omega v; p; A p; r0.v; s; A s; t.s; t.t; x twice; r; r0.r
      return 3 + xpay_vectors + 2 + 2 + 3 + 2 + 2 + 1 + 3 + 3 + 3 + 2 + norm;
  }
}

/// The vectors of a method.
struct TextbookVectors {
  DenseVector<double> r, p, q, z, shadow;

  TextbookVectors(Method method, std::size_t n)
      : r("einkorn::perf::r", n), p("einkorn::perf::p", n), q("einkorn::perf::q", n) {
    if (method != Method::cg) z = DenseVector<double>("einkorn::perf::z", n);
    if (method == Method::bicgstab) shadow = DenseVector<double>("einkorn::perf::shadow", n);
  }
};

template <class Library>
int textbook_cg(Library const& library, DenseVector<double const> const& b, DenseVector<double> const& x,
                TextbookVectors const& work, int iterations) {
  library.zero(x);
  library.copy(b, work.r);
  library.copy(work.r, work.p);
  double rho = library.dot(work.r, work.r);
  for (int k = 0; k < iterations; ++k) {
    if (!(rho > 0.0)) return k;
    library.multiply(work.p, work.q);
    double const alpha = rho / library.dot(work.p, work.q);
    library.axpy(alpha, work.p, x);
    library.axpy(-alpha, work.q, work.r);
    double const rho_old = std::exchange(rho, library.dot(work.r, work.r));
    library.xpay(work.r, rho / rho_old, work.p);
  }
  return iterations;
}

template <class Library>
int textbook_pcg(Library const& library, DenseVector<double const> const& b, DenseVector<double> const& x,
                 TextbookVectors const& work, int iterations) {
  library.zero(x);
  library.copy(b, work.r);
  library.precondition(work.r, work.z);
  library.copy(work.z, work.p);
  double rho = library.dot(work.r, work.z), norm_squared = rho;
  for (int k = 0; k < iterations; ++k) {
    if (!(norm_squared > 0.0)) return k;
    library.multiply(work.p, work.q);
    double const alpha = rho / library.dot(work.p, work.q);
    library.axpy(alpha, work.p, x);
    library.axpy(-alpha, work.q, work.r);
    norm_squared = library.dot(work.r, work.r);
    library.precondition(work.r, work.z);
    double const rho_old = std::exchange(rho, library.dot(work.r, work.z));
    library.xpay(work.z, rho / rho_old, work.p);
  }
  return iterations;
}

/// v is stored in q, t in z, s in r.
template <class Library>
int textbook_bicgstab(Library const& library, DenseVector<double const> const& b, DenseVector<double> const& x,
                      TextbookVectors const& work, int iterations) {
  library.zero(x);
  library.zero(work.p);
  library.zero(work.q);
  library.copy(b, work.r);
  library.copy(work.r, work.shadow);
  double rho = library.dot(work.shadow, work.r), rho_old = 1.0, alpha = 1.0, omega = 1.0, norm_squared = rho;
  for (int k = 0; k < iterations; ++k) {
    if (!(norm_squared > 0.0)) return k;
    library.axpy(-omega, work.q, work.p);
    library.xpay(work.r, (rho / rho_old) * (alpha / omega), work.p);
    library.multiply(work.p, work.q);
    alpha = rho / library.dot(work.shadow, work.q);
    library.axpy(-alpha, work.q, work.r);
    library.multiply(work.r, work.z);
    omega = library.dot(work.z, work.r) / library.dot(work.z, work.z);
    library.axpy(alpha, work.p, x);
    library.axpy(omega, work.r, x);
    library.axpy(-omega, work.z, work.r);
    norm_squared = library.dot(work.r, work.r);
    rho_old = std::exchange(rho, library.dot(work.shadow, work.r));
  }
  return iterations;
}

/// Sets solve() and vectors of the row to the textbook loop over the library, which contains the matrix.
template <class Library>
void run_textbook(SolveRow& row, SolveBench const& bench, std::shared_ptr<Library const> const& library) {
  row.vectors = textbook_vectors(bench.method, Library::xpay_vectors, true);
  auto const vectors = std::make_shared<TextbookVectors const>(bench.method, bench.size());
  row.solve = [library, vectors, method = bench.method, b = bench.b, x = bench.x](int iterations) {
    if (method == Method::cg) return textbook_cg(*library, b, x, *vectors, iterations);
    if (method == Method::jacobi_pcg) return textbook_pcg(*library, b, x, *vectors, iterations);
    return textbook_bicgstab(*library, b, x, *vectors, iterations);
  };
}

}  // namespace einkorn::perf
