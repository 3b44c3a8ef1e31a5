// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

#include "tpetra_matrices.hpp"

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_preconditioner.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/identity.hpp>

#include <Ifpack2_Factory.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <cstdio>
#include <memory>
#include <string>

namespace {

using namespace tpetra_test;

/// Iterations of pcg for a problem with a known solution.
template <class M>
int solve(Matrix const& A, M const& preconditioner) {
  Exec const exec;
  auto const D = einkorn::tpetra::make_distributed_csr(exec, A);
  auto const op = einkorn::make_distributed_operator<double>(
      exec, D, std::make_shared<einkorn::MpiTransport<Exec>>(D.communicator));
  auto const exact = make_vectors(A.getDomainMap(), 1);
  MultiVector B(A.getRangeMap(), 1), X(A.getDomainMap(), 1);
  A.apply(exact, B);
  einkorn::SolveReport report;
  {
    auto const b = B.getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const x = X.getLocalViewDevice(Tpetra::Access::ReadWrite);
    report = einkorn::pcg(exec, op, preconditioner, Kokkos::subview(b, Kokkos::ALL, 0),
                          Kokkos::subview(x, Kokkos::ALL, 0), {.tolerance = 1e-10});
  }
  EXPECT_EQ(report.outcome, einkorn::Outcome::converged);
  EXPECT_LE(distance(X, exact), 1e-7);
  return static_cast<int>(report.iterations);
}

void print(std::string const& what, int iterations) {
  if (world()->getRank() == 0) std::printf("%s: %d iterations\n", what.c_str(), iterations);
}

TEST(TpetraPreconditioner, AppliesTheOperator) {
  Teuchos::RCP<Matrix const> const A = make_matrix(9, Rows::cyclic);
  auto const M = einkorn::tpetra::make_preconditioner(A);
  auto r = make_vectors(A->getDomainMap(), 2);
  MultiVector z(A->getRangeMap(), 2), expected(A->getRangeMap(), 2);
  for (std::size_t j = 0; j < 2; ++j) A->apply(*r.getVector(j), *expected.getVectorNonConst(j));
  {
    auto const from = r.getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const to = z.getLocalViewDevice(Tpetra::Access::ReadWrite);
    for (std::size_t j = 0; j < 2; ++j)  // other vectors in the second call
      M.apply(Exec(), Kokkos::subview(from, Kokkos::ALL, j), Kokkos::subview(to, Kokkos::ALL, j));
  }
  EXPECT_LE(distance(z, expected), 0);
}

TEST(TpetraPreconditioner, Ifpack2AndMueLuPreconditionPcg) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic}) {
    auto const A = make_matrix(60, rows);
    int const plain = solve(*A, einkorn::Identity());

    auto const sweeps = Ifpack2::Factory::create<Tpetra::RowMatrix<double, LO, GO, NO>>("RELAXATION", A);
    Teuchos::ParameterList parameters;
    parameters.set("relaxation: type", "Symmetric Gauss-Seidel");
    sweeps->setParameters(parameters);
    sweeps->initialize();
    sweeps->compute();
    int const relaxed = solve(*A, einkorn::tpetra::make_preconditioner(sweeps));
    EXPECT_LT(relaxed, plain * 3 / 4);

    Teuchos::ParameterList hierarchy;
    hierarchy.set("verbosity", "none");
    hierarchy.set("coarse: max size", 100);
    auto const multigrid = MueLu::CreateTpetraPreconditioner<double, LO, GO, NO>(A, hierarchy);
    int const cycles = solve(*A, einkorn::tpetra::make_preconditioner(multigrid));
    EXPECT_LT(cycles, 25);
    print("plain", plain);
    print("Ifpack2, symmetric Gauss-Seidel", relaxed);
    print("MueLu", cycles);
  }
}

TEST(TpetraPreconditioner, RefusesInvalidArguments) {
  expect_error<einkorn::Error>([] { einkorn::tpetra::make_preconditioner(Teuchos::RCP<Matrix>()); },
                               "M is null");
  auto const A = make_matrix(4, Rows::blocks);
  auto const M = einkorn::tpetra::make_preconditioner(A);
  Kokkos::View<double*, Exec> const r("r", A->getLocalNumRows() + 1), z("z", A->getLocalNumRows() + 1);
  expect_error<einkorn::Error>([&] { M.apply(Exec(), r, z); },
                               "r has " + std::to_string(r.extent(0)) + " entries");
}

}  // namespace
