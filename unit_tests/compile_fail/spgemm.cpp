// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Wrong calls of spgemm: each must give one static_assert with the sentence of its line, and no other error.
#include "mistakes.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/ell/ell.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <cstdint>

using namespace einkorn::test;
using Matrix = einkorn::Csr<double, int, int, Device>;

void product(Exec const& exec, Matrix const& A, einkorn::SpmvPlan<Matrix, double> const& plan,
             Kokkos::View<double*, Device> const& x) {
  einkorn::Ell<double, int, int, Device> const ell;
  einkorn::Csr<double, std::int64_t, std::size_t, Device> const wide;
  einkorn::Csr<double, int, int, RemoteDevice> const remote;
  auto const a = einkorn::spgemm(exec, plan, A);                // expect: a plan was passed instead of a
  auto const b = einkorn::spgemm(exec, A, ell);                 // expect: A and B must be in CSR
  auto const c = einkorn::spgemm(exec, A, x);                   // expect: must be a Csr or a KokkosSparse
  auto const d = einkorn::spgemm<std::int64_t>(exec, A, wide);  // expect: must have the same Ordinal
  auto const e = einkorn::spgemm(exec, A, remote);              // expect: must have the same Device
  auto const f = einkorn::spgemm(exec, remote, remote);         // expect: exec cannot access the memory
  auto const g = einkorn::spgemm_symbolic(exec, A, wide);       // expect: must have the same Ordinal
  auto const h = einkorn::spgemm(A, A, exec);                   // expect: the first argument must be
  auto const i = einkorn::spgemm(exec, ell, A, {.workspace_limit = 1});  // expect: A and B must be in CSR
}

/// Correct calls: a CrsMatrix and a Csr.
void right(Exec const& exec, Matrix const& A, CrsLike const& B) {
  auto const C = einkorn::spgemm(exec, A, B);
  auto const plan = einkorn::spgemm_symbolic(exec, B, A);
  auto const D = einkorn::spgemm_numeric(exec, plan, B, A);
}
