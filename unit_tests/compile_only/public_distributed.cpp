// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The public functions of distributed matrices and their solves for one choice of types. Compiled for the host, and by
// scripts/check_hip.sh and check_cuda.sh for a device.
#include <einkorn/core/comm/loopback.hpp>
#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_parts.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>
#include <einkorn/formats/distributed/update_values.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/scaled_system.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;
using Matrix = Csr<double, int, int, Device>;
using Vector = Kokkos::View<double*, Device>;

/// Every way to make a distributed matrix.
DistributedCsr<double, int, int, Device> distributed(Space const& exec, Communicator const& comm,
                                                     RowBlocks const& blocks, Matrix const& A) {
  Kokkos::View<std::int64_t*, Device> const columns("columns", A.nnz());
  auto const rows = distribute_rows(exec, comm, blocks, A.row_offsets, columns, A.values);
  update_values(exec, rows, A.values);
  auto const parts = distribute_parts(exec, comm, blocks, A, A, std::vector<std::int64_t>{});
  update_values(exec, parts, A.values, A.values);
  return distribute_csr(exec, comm, blocks, gather_csr(distribute_csr(exec, comm, blocks, A), 0));
}

/// Every solver on ranks.
void solve_on_ranks(Space const& exec, Communicator const& comm, RowBlocks const& blocks, Matrix const& A,
                    Vector const& b, Vector const& x) {
  std::shared_ptr<Transport<Space>> const transport = std::make_shared<LoopbackTransport<Space>>(comm);
  auto const D = distributed(exec, comm, blocks, A);
  auto const op = make_distributed_operator<double>(exec, D, transport);
  cg(exec, op, b, x);
  pcg(exec, op, make_jacobi(exec, D.local), b, x);
  bicgstab(exec, op, b, x);
  cg(exec, make_jacobi_scaled<double>(exec, D, transport, ScaledSides::both), b, x);
  cg(exec,
     make_distributed_operator<double>(
         exec, D, transport,
         [&](auto const& local) { return make_operator<double>(exec, from_csr<Sell>(exec, local)); }),
     b, x);
}

}  // namespace einkorn::test
