// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The public functions of multigrid for one choice of types. Compiled for the host, and by scripts/check_hip.sh and
// check_cuda.sh for a device.
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/multigrid.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;

/// Set-up for each kind of near-null vectors, new values, and PCG with float levels.
SolveReport multigrid_door(Space const& exec, Csr<double, int, int, Device> const& A,
                           Kokkos::View<double const**, Kokkos::LayoutLeft, Device> const& vectors,
                           Kokkos::View<double const*, Device> const& b,
                           Kokkos::View<double*, Device> const& x) {
  auto M = make_multigrid(exec, A);
  M = make_multigrid(exec, A, {}, vectors);
  M = make_multigrid_elasticity(exec, A, {.block_size = 3}, vectors);
  M.update(exec, A);
  return pcg(exec, SpmvOperator(make_spmv_plan(exec, A)), M, b, x);
}

}  // namespace einkorn::test
