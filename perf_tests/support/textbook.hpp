// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <cstddef>
#include <memory>
#include <utility>

/// The loops of the textbook, a call of a library for each operation and scalars on the host: what one writes
/// on top of a sparse and a dense library. A Library has
///   multiply(x, y)      y <- A x
///   dot(x, y)           x.y, on the host
///   axpy(a, x, y)       y <- y + a x
///   xpay(x, a, y)       y <- x + a y, which moves xpay_vectors vectors
///   precondition(r, z)  z <- D^-1 r
///   copy(x, y)          y <- x
///   zero(y)             y <- 0
/// All of them return how many iterations they did: fewer than asked where the residual is 0 or not a number.
namespace einkorn::perf {

/// Vectors of n entries that one iteration moves; reads_norm: r.r is computed beyond what the method needs.
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

/// The vectors of the method, allocated once.
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
                TextbookVectors const& of, int iterations) {
  library.zero(x);
  library.copy(b, of.r);
  library.copy(of.r, of.p);
  double rho = library.dot(of.r, of.r);
  for (int k = 0; k < iterations; ++k) {
    if (!(rho > 0.0)) return k;
    library.multiply(of.p, of.q);
    double const alpha = rho / library.dot(of.p, of.q);
    library.axpy(alpha, of.p, x);
    library.axpy(-alpha, of.q, of.r);
    double const rho_old = std::exchange(rho, library.dot(of.r, of.r));
    library.xpay(of.r, rho / rho_old, of.p);
  }
  return iterations;
}

template <class Library>
int textbook_pcg(Library const& library, DenseVector<double const> const& b, DenseVector<double> const& x,
                 TextbookVectors const& of, int iterations) {
  library.zero(x);
  library.copy(b, of.r);
  library.precondition(of.r, of.z);
  library.copy(of.z, of.p);
  double rho = library.dot(of.r, of.z), norm_squared = rho;
  for (int k = 0; k < iterations; ++k) {
    if (!(norm_squared > 0.0)) return k;
    library.multiply(of.p, of.q);
    double const alpha = rho / library.dot(of.p, of.q);
    library.axpy(alpha, of.p, x);
    library.axpy(-alpha, of.q, of.r);
    norm_squared = library.dot(of.r, of.r);
    library.precondition(of.r, of.z);
    double const rho_old = std::exchange(rho, library.dot(of.r, of.z));
    library.xpay(of.z, rho / rho_old, of.p);
  }
  return iterations;
}

/// v is q, t is z; s takes the place of r.
template <class Library>
int textbook_bicgstab(Library const& library, DenseVector<double const> const& b, DenseVector<double> const& x,
                      TextbookVectors const& of, int iterations) {
  library.zero(x);
  library.zero(of.p);
  library.zero(of.q);
  library.copy(b, of.r);
  library.copy(of.r, of.shadow);
  double rho = library.dot(of.shadow, of.r), rho_old = 1.0, alpha = 1.0, omega = 1.0, norm_squared = rho;
  for (int k = 0; k < iterations; ++k) {
    if (!(norm_squared > 0.0)) return k;
    library.axpy(-omega, of.q, of.p);
    library.xpay(of.r, (rho / rho_old) * (alpha / omega), of.p);
    library.multiply(of.p, of.q);
    alpha = rho / library.dot(of.shadow, of.q);
    library.axpy(-alpha, of.q, of.r);
    library.multiply(of.r, of.z);
    omega = library.dot(of.z, of.r) / library.dot(of.z, of.z);
    library.axpy(alpha, of.p, x);
    library.axpy(omega, of.r, x);
    library.axpy(-omega, of.z, of.r);
    norm_squared = library.dot(of.r, of.r);
    rho_old = std::exchange(rho, library.dot(of.shadow, of.r));
  }
  return iterations;
}

/// The row's solve() and vectors by the textbook over the library, which has its own matrix.
template <class Library>
void run_textbook(SolveRow& row, SolveBench const& bench, std::shared_ptr<Library const> const& library) {
  row.vectors = textbook_vectors(bench.method, Library::xpay_vectors, true);
  auto const of = std::make_shared<TextbookVectors const>(bench.method, bench.size());
  row.solve = [library, of, method = bench.method, b = bench.b, x = bench.x](int iterations) {
    if (method == Method::cg) return textbook_cg(*library, b, x, *of, iterations);
    if (method == Method::jacobi_pcg) return textbook_pcg(*library, b, x, *of, iterations);
    return textbook_bicgstab(*library, b, x, *of, iterations);
  };
}

}  // namespace einkorn::perf
