// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.example.spmv FILE.mtx[.gz]: y = A x for the matrix of a file, in CSR and in CSR5, with x = 1.
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*>;

double norm(Exec const& exec, Vector const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "norm", Kokkos::RangePolicy<Exec>(exec, 0, y.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& partial) { partial += y(i) * y(i); }, sum);
  return std::sqrt(sum);
}

int main(int argc, char** argv) try {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (argc != 2) return std::fprintf(stderr, "usage: %s FILE.mtx[.gz]\n", argv[0]), 2;

  auto const triplets = einkorn::read_matrix_market<double, int>(argv[1]);
  auto const csr = einkorn::csr_from_triplets<int, Exec::device_type>(triplets);

  Exec const exec;
  Vector const x("x", csr.num_cols), y("y", csr.num_rows);
  Kokkos::deep_copy(exec, x, 1.0);

  einkorn::spmv(exec, 1.0, csr, x, 0.0, y);
  std::printf("%d x %d, %d entries: |A x| = %.15g in CSR", csr.num_rows, csr.num_cols, csr.nnz(),
              norm(exec, y));

  auto const csr5 = einkorn::from_csr<einkorn::Csr5>(exec, csr);
  einkorn::spmv(exec, 1.0, csr5, x, 0.0, y);
  std::printf(", %.15g in CSR5\n", norm(exec, y));
  return 0;
} catch (einkorn::Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
