// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;

int main(int argc, char** argv) try {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (argc != 2) return std::fprintf(stderr, "usage: %s FILE.mtx[.gz]\n", argv[0]), 2;
  Exec const exec;
  auto const file = einkorn::read_matrix_market<double, int>(argv[1]);
  auto const A = einkorn::csr_from_triplets<int, Exec::device_type>(file);
  Kokkos::View<double*> const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::deep_copy(exec, x, 1.0);
  einkorn::spmv(exec, 1.0, A, x, 0.0, y);  // y <- 1 A x + 0 y
  double sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(int i, double& partial) { partial += y(i); }, sum);
  std::printf("%d x %d, %d entries; the sum of A x for x = 1 is %g\n", A.num_rows, A.num_cols, A.nnz(), sum);
} catch (einkorn::Error const& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 3;
}
