// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The code of docs/trilinos.md. Started by mpirun: trilinos [POINTS PER SIDE [REPETITIONS]]

// [includes]
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/formats/interop/tpetra_preconditioner.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/interop/belos_cg.hpp>
#include <einkorn/solvers/pcg.hpp>
// [includes]

#include <Kokkos_Core.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosSolverManager.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_Factory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

namespace {

using Matrix = Tpetra::CrsMatrix<>;
using MV = Tpetra::MultiVector<>;
using OP = Tpetra::Operator<>;
using LO = Matrix::local_ordinal_type;
using GO = Matrix::global_ordinal_type;
using Exec = Matrix::execution_space;

/// -u'' on a cube of m x m x m points, 7 points per row.
Teuchos::RCP<Matrix> make_matrix(Teuchos::RCP<Teuchos::Comm<int> const> const& comm, GO m) {
  auto const rows = static_cast<Tpetra::global_size_t>(m * m * m);
  auto const A = Teuchos::rcp(new Matrix(Teuchos::rcp(new Tpetra::Map<>(rows, 0, comm)), 7));
  for (std::size_t i = 0; i < A->getLocalNumRows(); ++i) {
    GO const row = A->getRowMap()->getGlobalElement(static_cast<LO>(i));
    GO columns[7] = {row};
    double values[7] = {6};
    LO count = 1;
    GO const at[] = {row % m, row / m % m, row / m / m}, strides[] = {1, m, m * m};
    for (int d = 0; d < 3; ++d)
      for (int side : {-1, 1})
        if (at[d] + side >= 0 && at[d] + side < m) {
          columns[count] = row + side * strides[d];
          values[count++] = -1;
        }
    A->insertGlobalValues(row, count, values, columns);
  }
  A->fillComplete();
  return A;
}

bool solve_by_belos(Teuchos::RCP<OP const> const& op, Teuchos::RCP<MV> const& X,
                    Teuchos::RCP<MV const> const& B, char const* name, bool with_cg_of_einkorn) {
  X->putScalar(0);
  // [belos]
  auto const problem = Teuchos::rcp(new Belos::LinearProblem<double, MV, OP>(op, X, B));
  problem->setProblem();
  auto const parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-8);
  Belos::PseudoBlockCGSolMgr<double, MV, OP> solver(problem, parameters);
  // [belos]
  // [belos_cg]
  einkorn::tpetra::BelosCg<double, MV, OP> einkorn_solver(problem, parameters);
  // [belos_cg]
  Belos::SolverManager<double, MV, OP>& chosen =
      with_cg_of_einkorn ? static_cast<Belos::SolverManager<double, MV, OP>&>(einkorn_solver) : solver;
  parameters->set("Maximum Iterations", 10000);
  chosen.setParameters(parameters);
  Kokkos::Timer const timer;
  bool const converged = chosen.solve() == Belos::Converged;
  double const seconds = timer.seconds();
  if (X->getMap()->getComm()->getRank() == 0)
    std::printf("%-34s %s after %4d iterations, %9.6f s\n", name, converged ? "converged" : "did not converge",
                chosen.getNumIters(), seconds);
  return converged;
}

void print(char const* name, einkorn::SolveReport const& report, int rank, double seconds) {
  if (rank == 0)
    std::printf("%-34s %s after %4lld iterations, %9.6f s\n", name, name_of(report.outcome),
                static_cast<long long>(report.iterations), seconds);
}

bool solve(Teuchos::RCP<Teuchos::Comm<int> const> const& comm, GO m, int repetitions) {
  auto const A = make_matrix(comm, m);
  auto const X = Teuchos::rcp(new MV(A->getDomainMap(), 1));
  auto const B = Teuchos::rcp(new MV(A->getRangeMap(), 1));
  B->putScalar(1);

  // [operator]
  auto const op = einkorn::tpetra::make_operator(A, {.format = einkorn::tpetra::automatic});
  // [operator]

  // [distributed]
  Exec const exec;
  auto const D = einkorn::tpetra::make_distributed_csr(exec, *A);  // a copy with the halo exchange of A
  auto const transport = std::make_shared<einkorn::MpiTransport<Exec>>(D.communicator);
  auto const distributed = einkorn::make_distributed_operator<double>(exec, D, transport);
  // [distributed]
  einkorn::SolveReport report;
  bool converged = true;
  for (int i = 0; i < repetitions; ++i) {
    converged = solve_by_belos(A, X, B, "Belos CG, Tpetra", false) && converged;
    converged = solve_by_belos(op, X, B, "Belos CG, einkorn::tpetra", false) && converged;
    converged = solve_by_belos(op, X, B, "einkorn::tpetra::BelosCg", true) && converged;
    X->putScalar(0);
    Kokkos::Timer const timer;
    // [cg]
    {
      auto const b = B->getLocalViewDevice(Tpetra::Access::ReadOnly);
      auto const x = X->getLocalViewDevice(Tpetra::Access::ReadWrite);  // released at the end of the block
      report = einkorn::cg(exec, distributed, Kokkos::subview(b, Kokkos::ALL, 0),
                           Kokkos::subview(x, Kokkos::ALL, 0), {.tolerance = 1e-8});
    }
    // [cg]
    print("einkorn::cg", report, comm->getRank(), timer.seconds());
  }
  converged = report.converged() && converged;

  // [update]
  A->resumeFill();
  A->scale(2.0);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  op->update_values();
  einkorn::tpetra::update_values(exec, D, *A);
  // [update]

  Kokkos::Timer const timer;
  // [pcg]
  auto const smoother = Ifpack2::Factory::create<Tpetra::RowMatrix<>>("CHEBYSHEV", A);
  smoother->setParameters(Teuchos::ParameterList().set("chebyshev: degree", 4));
  smoother->initialize();
  smoother->compute();
  auto const M = einkorn::tpetra::make_preconditioner(smoother);  // or one of MueLu
  {
    auto const b = B->getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const x = X->getLocalViewDevice(Tpetra::Access::ReadWrite);
    report = einkorn::pcg(exec, distributed, M, Kokkos::subview(b, Kokkos::ALL, 0),
                          Kokkos::subview(x, Kokkos::ALL, 0), {.tolerance = 1e-8});
  }
  // [pcg]
  print("einkorn::pcg, Ifpack2", report, comm->getRank(), timer.seconds());

  MV residual(*B, Teuchos::Copy);  // B - A X by both
  op->apply(*X, residual, Teuchos::NO_TRANS, -1, 1);
  A->apply(*X, *B, Teuchos::NO_TRANS, -1, 1);
  bool const is_solved = residual.getVector(0)->norm2() < 1e-8 * static_cast<double>(m * m) &&
                         B->getVector(0)->norm2() < 1e-8 * static_cast<double>(m * m);
  return converged && report.converged() && is_solved;
}

}  // namespace

int main(int argc, char** argv) try {
  Tpetra::ScopeGuard const tpetra(&argc, &argv);
  GO const m = argc > 1 ? static_cast<GO>(std::atol(argv[1])) : 12;
  bool const solved = solve(Tpetra::getDefaultComm(), m, argc > 2 ? std::atoi(argv[2]) : 1);
  return solved ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 3);
}
