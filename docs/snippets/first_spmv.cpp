// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  auto const file = einkorn::read_matrix_market<double, int>(argv[1]);
  auto const A = einkorn::csr_from_triplets<int, Kokkos::DefaultExecutionSpace::device_type>(file);
  Kokkos::View<double*> const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::deep_copy(exec, x, 1.0);
  einkorn::spmv(exec, 1.0, A, x, 0.0, y);  // y <- 1 A x + 0 y
}
