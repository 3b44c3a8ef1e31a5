// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The code of docs/assembling.md.
// [includes]
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>
// [includes]
#include <cstdio>
#include <vector>

// [types]
using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
// [types]
using Vector = Kokkos::View<double*, Exec::device_type>;

Matrix from_triplets(int n) {
  // [triplets]
  einkorn::Triplets<double, int> entries;
  entries.num_rows = entries.num_cols = n;
  for (int element = 0; element + 1 < n; ++element)  // in any order; entries of one position are added up
    for (int i : {element, element + 1})
      for (int j : {element, element + 1}) {
        entries.rows.push_back(i);
        entries.columns.push_back(j);
        entries.values.push_back(i == j ? 1.0 : -1.0);
      }
  Matrix const A = einkorn::csr_from_triplets<int, Exec::device_type>(entries);
  // [triplets]
  return A;
}

Matrix of_own_arrays(int n, int const* offsets, int const* columns, double* values) {
  // [arrays]
  int const nnz = 3 * n - 2;
  Matrix const A{.num_rows = n,
                 .num_cols = n,
                 .row_offsets = Kokkos::View<int const*, Exec::device_type>(offsets, n + 1),
                 .columns = Kokkos::View<int const*, Exec::device_type>(columns, nnz),
                 .values = Kokkos::View<double*, Exec::device_type>(values, nnz)};
  // [arrays]
  return A;
}

Matrix in_parallel(Exec const& exec, int n) {
  // [parallel]
  Kokkos::View<int*> const offsets("offsets", n + 1);
  auto const length = KOKKOS_LAMBDA(int i) {
    return 3 - (i == 0) - (i + 1 == n);
  };  // entries of row i
  Kokkos::parallel_scan(
      "offsets", Kokkos::RangePolicy<Exec>(exec, 0, n + 1), KOKKOS_LAMBDA(int i, int& sum, bool is_final) {
        if (is_final) offsets(i) = sum;
        if (i < n) sum += length(i);
      });
  int nnz = 0;
  Kokkos::deep_copy(exec, nnz, Kokkos::subview(offsets, n));
  exec.fence();
  Kokkos::View<int*> const columns("columns", nnz);
  Kokkos::View<double*> const values("values", nnz);
  Kokkos::parallel_for(
      "rows", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        int k = offsets(i);
        for (int j = i - 1; j <= i + 1; ++j)
          if (j >= 0 && j < n) {
            columns(k) = j;
            values(k++) = j == i ? length(i) - 1 : -1;
          }
      });
  Matrix const A{n, n, offsets, columns, values};
  einkorn::validate(exec, A);  // throws InvalidStructure with the position
  // [parallel]
  return A;
}

/// The product with (0, 1, 2, ...), on the host.
std::vector<double> product(Exec const& exec, Matrix const& A) {
  Vector const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, A.num_cols), KOKKOS_LAMBDA(int i) { x(i) = i; });
  einkorn::spmv(exec, 1.0, A, x, 0.0, y);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  return {host.data(), host.data() + host.extent(0)};
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  int const n = 6;
  Matrix const A = in_parallel(exec, n);
  std::vector<double> const expected = {-1, 0, 0, 0, 0, 1};
  bool right = A.nnz() == 3 * n - 2 && product(exec, A) == expected;
  right = right && product(exec, from_triplets(n)) == expected;
  Matrix const same = of_own_arrays(n, A.row_offsets.data(), A.columns.data(), A.values.data());
  right = right && product(exec, same) == expected && same.values.data() == A.values.data();
  return right ? 0 : 1;
}
