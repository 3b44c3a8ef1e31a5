// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The code of docs/distributed.md. Started by mpirun.

// [includes]
#include <einkorn/core/comm/make_transport.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/update_values.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>
// [includes]

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// The rows first ... first + rows - 1 of the tridiagonal matrix (-1, 2 + shift, -1) of n rows, on the host.
struct Rod {
  using Host = Kokkos::HostSpace;
  Kokkos::View<int*, Host> row_offsets;
  Kokkos::View<std::int64_t*, Host> columns;
  Kokkos::View<double*, Host> values;

  Rod(std::int64_t n, std::int64_t first, std::int64_t rows, double shift)
      : row_offsets("row_offsets", static_cast<std::size_t>(rows + 1)),
        columns("columns", static_cast<std::size_t>(3 * rows)),
        values("values", static_cast<std::size_t>(3 * rows)) {
    int k = 0;
    for (std::int64_t i = first; i < first + rows; ++i) {
      for (auto j = i - 1; j <= i + 1; ++j) {
        if (j < 0 || j >= n) continue;
        columns(k) = j;
        values(k++) = i == j ? 2 + shift : -1;
      }
      row_offsets(i - first + 1) = k;
    }
    Kokkos::resize(columns, static_cast<std::size_t>(k));
    Kokkos::resize(values, static_cast<std::size_t>(k));
  }
};

bool solve(Exec const& exec, std::int64_t n) {
  // [solve]
  auto const comm = einkorn::make_mpi_communicator(MPI_COMM_WORLD);
  auto const blocks = einkorn::RowBlocks::uniform(n, comm.size());  // rank r owns rows begin(r) ... end(r) - 1
  auto const rows = blocks.size(comm.rank());
  Rod const rod(n, blocks.begin(comm.rank()), rows, 0.1);  // row offsets from 0, global columns, values
  auto const A = einkorn::distribute_rows(exec, comm, blocks, rod.row_offsets, rod.columns, rod.values);

  auto const transport = einkorn::make_transport(exec, comm);  // the fastest one
  auto const op = einkorn::make_distributed_operator<double>(exec, A, transport);
  Kokkos::View<double*> const b("b", rows), x("x", rows);  // the entries of this rank
  Kokkos::deep_copy(exec, b, 1.0);
  auto const report = einkorn::cg(exec, op, b, x, {.tolerance = 1e-10});  // the same report on all ranks
  if (comm.rank() == 0)
    std::printf("%d ranks: %s after %lld iterations\n", comm.size(), name_of(report.outcome),
                static_cast<long long>(report.iterations));
  // [solve]
  bool converged = report.converged();

  {
    // [pcg]
    auto const sell = einkorn::make_distributed_operator<double>(exec, A, transport, [&](auto const& local) {
      return einkorn::make_operator<double>(exec, einkorn::from_csr<einkorn::Sell>(exec, local));
    });
    auto const M = einkorn::make_jacobi(exec, A.local);
    auto const preconditioned = einkorn::pcg(exec, sell, M, b, x);
    // [pcg]
    converged = converged && preconditioned.converged();
  }
  {
    Rod const next(n, blocks.begin(comm.rank()), rows, 0.2);
    // [update]
    einkorn::update_values(exec, A, next.values);  // in the order of distribute_rows()
    auto const again = einkorn::cg(exec, op, b, x);
    // [update]
    converged = converged && again.converged();
  }
  return converged;
}

}  // namespace

// [main]
int main(int argc, char** argv) try {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  bool converged = false;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    converged = solve(Exec(), 10000);  // communicators and transports end before MPI_Finalize
  }
  MPI_Finalize();
  return converged ? 0 : 1;
} catch (std::exception const& error) {  // of all ranks, or unexpected
  std::fprintf(stderr, "%s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 3);
}
// [main]
