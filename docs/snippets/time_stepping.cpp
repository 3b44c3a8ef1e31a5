// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The code of docs/time_stepping.md.
// [includes]
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <Kokkos_Core.hpp>
// [includes]
#include <einkorn/formats/csr/from_triplets.hpp>

#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
using Vector = Kokkos::View<double*, Exec::device_type>;

/// 1 + 2 c on the diagonal, -c beside it.
Matrix rod(int n, double c) {
  einkorn::Triplets<double, int> entries;
  entries.num_rows = entries.num_cols = n;
  for (int i = 0; i < n; ++i)
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < n) {
        entries.rows.push_back(i);
        entries.columns.push_back(j);
        entries.values.push_back(i == j ? 1 + 2 * c : -c);
      }
  return einkorn::csr_from_triplets<int, Exec::device_type>(entries);
}

/// Interpolation: fine point i belongs to coarse point i / 2.
Matrix aggregation(int n) {
  einkorn::Triplets<double, int> entries;
  entries.num_rows = n;
  entries.num_cols = (n + 1) / 2;
  for (int i = 0; i < n; ++i) {
    entries.rows.push_back(i);
    entries.columns.push_back(i / 2);
    entries.values.push_back(1.0);
  }
  return einkorn::csr_from_triplets<int, Exec::device_type>(entries);
}

/// The values of rod(n, c), written into A.
void assemble(Exec const& exec, Matrix const& A, double c) {
  Kokkos::parallel_for(
      "assemble", Kokkos::RangePolicy<Exec>(exec, 0, A.num_rows), KOKKOS_LAMBDA(int i) {
        for (int k = A.row_begin(i); k < A.row_end(i); ++k) A.values(k) = A.columns(k) == i ? 1 + 2 * c : -c;
      });
}

bool solve_steps(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x) {
  int converged = 0;
  // [steps]
  einkorn::SolverOptions const options{.tolerance = 1e-8};
  auto const op = einkorn::make_operator<double>(exec, A);  // the plan, once: it shares A's values
  auto M = einkorn::make_jacobi(exec, A);
  einkorn::CgWorkspace<double, Exec> const workspace(exec, op, M, options);  // for pcg; for cg without M
  for (int step = 0; step < 5; ++step) {
    assemble(exec, A, 10.0 + step);  // new values in A.values, the same pattern
    M.update(exec, A);               // the new diagonal, without an allocation
    Kokkos::deep_copy(exec, b,
                      x);  // right-hand side: the x of the previous step, which is also the initial guess
    auto const report = einkorn::pcg(exec, op, M, b, x, options, workspace);
    converged += report.converged();
  }
  // [steps]
  return converged == 5;
}

bool replace_values(Exec const& exec, Matrix const& A, Matrix const& B, Vector const& x, Vector const& y) {
  // [other_array]
  auto plan = einkorn::make_spmv_plan(exec, A);
  einkorn::update_values(exec, plan,
                         B);  // B: A's pattern, values in another array; StalePlan if the pattern differs
  einkorn::spmv(exec, plan, 1.0, x, 0.0, y);
  // [other_array]
  return plan.matrix().values.data() == B.values.data();
}

bool coarsen(Exec const& exec, Matrix const& A, Matrix const& P) {
  // [galerkin]
  auto const R = einkorn::transpose(exec, P).matrix;
  auto const plan_AP = einkorn::spgemm_symbolic(exec, A, P);  // the patterns, once
  Matrix const AP = einkorn::spgemm_numeric(exec, plan_AP, A, P);
  auto const plan_C = einkorn::spgemm_symbolic(exec, R, AP);
  Matrix const C = einkorn::spgemm_numeric(exec, plan_C, R, AP);  // C = R A P
  for (int step = 0; step < 5; ++step) {
    assemble(exec, A, 10.0 + step);
    einkorn::spgemm_numeric(exec, plan_AP, A, P, AP);  // the values again, without an allocation
    einkorn::spgemm_numeric(exec, plan_C, R, AP, C);
  }
  // [galerkin]
  double sum = 0;  // of all entries of C; equal to that of A, n + 2 c
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(exec, 0, C.nnz()),
      KOKKOS_LAMBDA(int k, double& partial) { partial += C.values(k); }, sum);
  double const error = sum - (A.num_rows + 2 * 14.0);
  return C.num_rows == P.num_cols && error < 1e-9 && error > -1e-9;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  int const n = 1000;
  Matrix const A = rod(n, 1.0);
  Vector const b("b", n), x("x", n);
  Kokkos::deep_copy(exec, x, 1.0);
  bool const right = solve_steps(exec, A, b, x) && replace_values(exec, A, rod(n, 2.0), x, b) &&
                     coarsen(exec, A, aggregation(n));
  exec.fence();
  return right ? 0 : 1;
}
