// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.example.solve [N]: one implicit step of the heat equation in a rod of N points, by conjugate
// gradients.
// [includes]
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/cg.hpp>

#include <Kokkos_Core.hpp>
// [includes]

#include <cstdio>
#include <cstdlib>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;

/// Tridiagonal: 1 + 2 c on the diagonal, -c beside it.
Matrix rod(Exec const& exec, int n, double c) {
  Kokkos::View<int*> const offsets("offsets", n + 1), columns("columns", 3 * n - 2);
  Kokkos::View<double*> const values("values", 3 * n - 2);
  Kokkos::parallel_for(
      "rod", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        int k = i == 0 ? 0 : 3 * i - 1;
        offsets(i) = k;
        for (int j = i == 0 ? 0 : i - 1; j <= i + 1 && j < n; ++j, ++k) {
          columns(k) = j;
          values(k) = j == i ? 1 + 2 * c : -c;
        }
        if (i + 1 == n) offsets(n) = k;
      });
  return {n, n, offsets, columns, values};
}

int main(int argc, char** argv) try {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  int const n = argc > 1 ? std::atoi(argv[1]) : 100000;
  if (n < 1) return std::fprintf(stderr, "usage: %s [N]\n", argv[0]), 2;
  // [solve]
  Matrix const A = rod(exec, n, 100.0);              // a Csr of arrays of the application, or a CrsMatrix
  Kokkos::View<double*> const b("b", n), x("x", n);  // x: initial guess, then solution
  Kokkos::deep_copy(exec, b, 1.0);
  auto const report = einkorn::cg(exec, A, b, x, {.tolerance = 1e-10});
  std::printf("%s after %lld iterations, |b - A x| = %.1e |b|\n", name_of(report.outcome),
              static_cast<long long>(report.iterations), report.residual / report.reference);
  // [solve]
  return report.converged() ? 0 : 1;
} catch (einkorn::Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
