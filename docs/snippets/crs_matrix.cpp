// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Uses a KokkosSparse::CrsMatrix with Einkorn and converts back.
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <type_traits>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type>;
using Vector = Kokkos::View<double*>;

auto store_partials(Exec const& exec, Matrix const& matrix, Vector const& x, Vector const& y) {
  // [crs_matrix]
  einkorn::spmv(exec, 1.0, matrix, x, 0.0, y);               // no copy, no conversion
  auto const plan = einkorn::make_spmv_plan(exec, matrix);   // for repeated use: analyzes the rows once
  auto const again = einkorn::to_crs_matrix(plan.matrix());  // back, with the same memory
  // [crs_matrix]
  return again;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  int const n = 4;  // 2 on the diagonal, 1 to its right
  Matrix::row_map_type::non_const_type const row_map("row_map", n + 1);
  Matrix::index_type::non_const_type const entries("entries", 2 * n - 1);
  Matrix::values_type::non_const_type const values("values", 2 * n - 1);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        row_map(i) = static_cast<Matrix::size_type>(2 * i);
        entries(2 * i) = i;
        values(2 * i) = 2.0;
        if (i + 1 < n) {
          entries(2 * i + 1) = i + 1;
          values(2 * i + 1) = 1.0;
        } else {
          row_map(n) = static_cast<Matrix::size_type>(2 * n - 1);
        }
      });
  Matrix const matrix("matrix", n, n, 2 * n - 1, values, row_map, entries);
  Vector const x("x", n), y("y", n);
  Kokkos::deep_copy(exec, x, 1.0);
  auto const again = store_partials(exec, matrix, x, y);
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  bool const shared = again.values.data() == matrix.values.data();
  return shared && result(0) == 3.0 && result(n - 1) == 2.0 ? 0 : 1;
}
