// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

#include "tpetra_matrices.hpp"

#include <einkorn/formats/interop/tpetra_operator.hpp>

#include <BelosBiCGStabSolMgr.hpp>
#include <BelosBlockCGSolMgr.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <cstdio>

namespace {

using namespace tpetra_test;

struct Solve {
  int iterations;
  double error;  // the largest difference to the exact solution
};

template <template <class, class, class> class Solver>
Solve solve(Teuchos::RCP<Operator const> const& op, Matrix const& A, std::size_t columns) {
  auto const exact = make_vectors(A.getDomainMap(), columns);
  auto const B = Teuchos::rcp(new MultiVector(A.getRangeMap(), columns));
  auto const X = Teuchos::rcp(new MultiVector(A.getDomainMap(), columns));
  A.apply(exact, *B);
  auto const problem = Teuchos::rcp(new Belos::LinearProblem<double, MultiVector, Operator>(op, X, B));
  problem->setProblem();
  auto const parameters = Teuchos::rcp(new Teuchos::ParameterList);
  parameters->set("Convergence Tolerance", 1e-10);
  parameters->set("Maximum Iterations", 500);
  Solver<double, MultiVector, Operator> solver(problem, parameters);
  EXPECT_EQ(solver.solve(), Belos::Converged);
  return {solver.getNumIters(), distance(*X, exact)};
}

template <class SC, class MV, class OP>
using Cg = Belos::PseudoBlockCGSolMgr<SC, MV, OP>;
template <class SC, class MV, class OP>
using BlockCg = Belos::BlockCGSolMgr<SC, MV, OP>;
template <class SC, class MV, class OP>
using BiCgStab = Belos::BiCGStabSolMgr<SC, MV, OP>;

template <template <class, class, class> class Solver>
void expect_same_solve(char const* name, double wind, std::size_t columns) {
  using Formats = einkorn::FormatList<einkorn::Csr, einkorn::Sell>;
  for (Rows const rows : {Rows::blocks, Rows::cyclic}) {
    Teuchos::RCP<Matrix const> const A = make_matrix(30, rows, wind);
    auto const with_matrix = solve<Solver>(A, *A, columns);
    for (auto const format : {einkorn::FormatName::csr, einkorn::FormatName::sell}) {
      auto const with_operator =
          solve<Solver>(einkorn::tpetra::make_operator<Formats>(A, {.format = format}), *A, columns);
      EXPECT_EQ(with_operator.iterations, with_matrix.iterations) << name;
      EXPECT_LE(with_operator.error, 1e-7) << name;
    }
    if (world()->getRank() == 0) std::printf("%s: %d iterations\n", name, with_matrix.iterations);
  }
}

TEST(Belos, CgHasTheIterationsOfTheMatrix) {
  expect_same_solve<Cg>("CG", 0, 1);
}
TEST(Belos, CgOfSeveralColumnsHasTheIterationsOfTheMatrix) {
  expect_same_solve<Cg>("CG", 0, 3);
}
TEST(Belos, BlockCgHasTheIterationsOfTheMatrix) {
  expect_same_solve<BlockCg>("block CG", 0, 3);
}
TEST(Belos, BiCgStabHasTheIterationsOfTheMatrix) {
  expect_same_solve<BiCgStab>("BiCGStab", 0.2, 1);
}

}  // namespace
