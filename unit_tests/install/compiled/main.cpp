// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// What a user of Einkorn::compiled calls: choice of a format, products, solvers and A A, without compiling a
// kernel.
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec>;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  auto const A = einkorn::generate<double, int, int, Exec::device_type>(exec, "gen:stencil7:12");
  Vector const b("b", static_cast<std::size_t>(A.num_rows)), x("x", b.extent(0)), y("y", b.extent(0));
  Kokkos::deep_copy(b, 1.0);

  auto const choice = einkorn::select(exec, A, 1000);
  auto const any = einkorn::make_any_matrix(exec, A, choice.format);
  einkorn::spmv(exec, 1.0, any, b, 0.0, y);
  einkorn::spmv(exec, einkorn::make_spmv_plan(exec, A), 1.0, b, 0.0, y);

  int failures = 0;
  auto const expect_convergence = [&](char const* name, einkorn::SolveReport const& report) {
    std::printf("%s: %s after %lld iterations\n", name, report.converged() ? "converged" : "NOT converged",
                static_cast<long long>(report.iterations));
    failures += report.converged() ? 0 : 1;
    Kokkos::deep_copy(x, 0.0);
  };
  auto const jacobi = einkorn::make_jacobi(exec, A);
  expect_convergence("cg, Csr", einkorn::cg(exec, A, b, x));
  expect_convergence("cg, AnyMatrix", einkorn::cg(exec, any, b, x));
  expect_convergence("pcg, AnyMatrix", einkorn::pcg(exec, any, jacobi, b, x));
  expect_convergence("bicgstab, Csr", einkorn::bicgstab(exec, A, b, x));
  auto const C = einkorn::spgemm(exec, A, A);
  std::printf("A A: %d entries\n", C.nnz());
  return failures == 0 && C.nnz() > A.nnz() ? 0 : 1;
}
