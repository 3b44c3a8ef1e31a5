// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// tutorial FILE.mtx[.gz]: the code of docs/tutorial.md; the page has the parts between the marks.
// [includes]
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <Kokkos_Core.hpp>
// [includes]
#include <cmath>
#include <cstdint>
#include <cstdio>

// [types]
using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using Vectors = Kokkos::View<double**, Exec::device_type>;
// [types]

double norm(Exec const& exec, Vector const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "norm", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(y.extent(0))),
      KOKKOS_LAMBDA(int i, double& partial) { partial += y(i) * y(i); }, sum);
  return std::sqrt(sum);
}

Matrix read(char const* path) {
  // [read]
  auto const triplets = einkorn::read_matrix_market<double, int>(path);
  Matrix const A = einkorn::csr_from_triplets<int, Exec::device_type>(triplets);
  // [read]
  return A;
}

void once(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [once]
  einkorn::spmv(exec, 1.0, A, x, 0.0, y);  // y <- A x
  exec.fence();                            // spmv is asynchronous: the caller synchronizes
  // [once]
  // [options]
  einkorn::SpmvOptions options;
  options.algorithm = einkorn::SpmvAlgorithm::row_team;
  options.lanes = 16;  // half a warp per row
  einkorn::spmv(exec, 1.0, A, x, 0.0, y, options);
  // [options]
}

void many_times(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [plan]
  auto const plan = einkorn::make_spmv_plan(exec, A);
  std::printf("%s\n", einkorn::name_of(plan.algorithm()));
  for (int i = 0; i < 100; ++i) einkorn::spmv(exec, plan, 1.0, x, 0.0, y);
  // [plan]
}

void transposed(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [transpose]
  einkorn::SpmvOptions options;
  options.op = einkorn::Op::transpose;
  auto plan = einkorn::make_spmv_plan(exec, A, options);
  einkorn::spmv(exec, plan, 1.0, y, 0.0, x);  // x <- A^T y
  einkorn::update_values(exec, plan, A);      // after A's values have changed
  // [transpose]
}

void several_vectors(Exec const& exec, Matrix const& A) {
  // [multivector]
  Vectors const X("X", A.num_cols, 8), Y("Y", A.num_rows, 8);
  einkorn::spmv(exec, 1.0, A, X, 0.0, Y);
  // [multivector]
}

void squared(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [spgemm]
  auto const plan = einkorn::spgemm_symbolic(exec, A, A);       // the pattern of C = A A
  Matrix const C = einkorn::spgemm_numeric(exec, plan, A, A);   // its values
  einkorn::spgemm_numeric(exec, plan, A, A, C);                 // again, after A's values have changed
  auto const wide = einkorn::spgemm<std::int64_t>(exec, A, A);  // both at once, with 64-bit offsets
  // [spgemm]
  einkorn::spmv(exec, 0.5, C, x, 0.0, y);
  einkorn::spmv(exec, 0.5, wide, x, 1.0, y);
}

void in_csr5(Exec const& exec, Matrix const& A, Vector const& x, Vector const& y) {
  // [csr5]
  auto const F = einkorn::from_csr<einkorn::Csr5>(exec, A);
  auto const plan = einkorn::make_spmv_plan(exec, F);
  einkorn::spmv(exec, plan, 1.0, x, 0.0, y);
  // [csr5]
  // [csr5_values]
  einkorn::update_values(exec, F, A);            // new values, same structure
  Matrix const back = einkorn::to_csr(exec, F);  // the CSR again, bit for bit
  // [csr5_values]
  einkorn::spmv(exec, 1.0, back, x, 0.0, y);
}

bool is_refused(Exec const& exec, Matrix const& A, Vector const& x) {
  // [errors]
  try {
    Vector const too_short("y", A.num_rows - 1);
    einkorn::spmv(exec, 1.0, A, x, 0.0, too_short);
  } catch (einkorn::DimensionMismatch const& error) {
    std::printf("%s\n", error.what());  // spmv: y has extent(0) = 1137, expected 1138 (rows of op(A))
    return true;
  }
  // [errors]
  return false;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (argc != 2) return 2;
  Exec const exec;
  Matrix const A = read(argv[1]);
  Vector const x("x", A.num_cols), y("y", A.num_rows);
  Kokkos::deep_copy(exec, x, 1.0);
  once(exec, A, x, y);
  double const expected = norm(exec, y);
  auto const is_right = [&] { return std::abs(norm(exec, y) - expected) <= 1e-12 * expected; };
  many_times(exec, A, x, y);
  bool right = is_right();
  in_csr5(exec, A, x, y);
  right = right && is_right() && is_refused(exec, A, x);
  several_vectors(exec, A);
  Vector const of_square("A A x", A.num_rows), twice("A (A x)", A.num_rows);
  squared(exec, A, x, of_square);
  once(exec, A, y, twice);
  right = right && std::abs(norm(exec, of_square) - norm(exec, twice)) <= 1e-12 * norm(exec, twice);
  transposed(exec, A, x, y);
  return right ? 0 : 1;
}
