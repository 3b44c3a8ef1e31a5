// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The public functions of the solvers for one choice of types. Compiled for the host, and by scripts/check_hip.sh
// and check_cuda.sh for a device.
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/interop/upload.hpp>
#include <einkorn/solvers/async_setup.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/gmres.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/richardson.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;

/// Every solver on a matrix of one format.
template <class Matrix, class V>
struct SolverDoors {
  Space exec;
  Matrix A;
  Kokkos::View<V*, Device> b, x;

  SolveReport all(Csr<V, int, int, Device> const& csr) {
    SolverOptions const options;
    auto const op = make_operator<V>(exec, A);
    cg(exec, op, b, x, options, CgWorkspace<V, Space>(exec, op, options));
    pcg(exec, op, make_jacobi(exec, csr), b, x);
    pcg(exec, op, make_block_jacobi(exec, csr, {.block_size = 4}), b, x);
    bicgstab(exec, op, b, x, options, BicgstabWorkspace<V, Space>(exec, op, options));
    bicgstab(exec, op, make_jacobi(exec, csr), b, x);
    gmres(exec, op, b, x, options, GmresWorkspace<V, Space>(exec, op, options));
    gmres(exec, op, make_jacobi(exec, csr), b, x);
    fgmres(exec, op, make_block_jacobi(exec, csr, {.block_size = 4}), b, x, options,
           GmresWorkspace<V, Space>(exec, op, options, GmresKind::flexible));
    richardson(exec, op, make_jacobi(exec, csr), b, x, options,
               RichardsonWorkspace<V, Space>(exec, op, options));
    auto const scaled = make_jacobi_scaled(exec, csr, ScaledSides::both,
                                           [&](auto const& S) { return make_operator<V>(exec, S); });
    return cg(exec, scaled, b, x);
  }
};

template struct SolverDoors<Csr<double, int, int, Device>, double>;
template struct SolverDoors<Dia<float, int, int, Device>, float>;

/// An asynchronous setup.
double async_setup_door(Space const& exec, Csr<double, int, int, Kokkos::HostSpace::device_type> const& A) {
  auto work = async_setup<Dia>(exec, A);
  work.update_values(A);
  return static_cast<double>(work.wait().matrix.num_entries) +
         static_cast<double>(upload(exec, A).wait().nnz());
}

}  // namespace einkorn::test
