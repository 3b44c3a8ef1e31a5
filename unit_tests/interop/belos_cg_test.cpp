// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

#include "tpetra_matrices.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/solvers/interop/belos_cg.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <sstream>
#include <string>
#include <utility>

namespace {

using namespace tpetra_test;
using FewFormats = einkorn::FormatList<einkorn::Csr, einkorn::Sell>;
using Ours = einkorn::tpetra::BelosCg<double, MultiVector, Operator, FewFormats>;
using Theirs = Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>;
using Problem = Belos::LinearProblem<double, MultiVector, Operator>;

Teuchos::RCP<Teuchos::ParameterList> tolerance(double value) {
  auto const parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", value);
  parameters->set("Maximum Iterations", 500);
  parameters->set("Output Frequency", 1);  // without effect
  return parameters;
}

/// A X = B with a known X.
struct System {
  Teuchos::RCP<Matrix const> A;
  MultiVector exact;
  Teuchos::RCP<MultiVector> B, X;
  Teuchos::RCP<Problem> problem;

  System(Teuchos::RCP<Matrix const> matrix, Teuchos::RCP<Operator const> const& op, std::size_t columns)
      : A(std::move(matrix)),
        exact(make_vectors(A->getDomainMap(), columns)),
        B(Teuchos::rcp(new MultiVector(A->getRangeMap(), columns))),
        X(Teuchos::rcp(new MultiVector(A->getDomainMap(), columns))),
        problem(Teuchos::rcp(new Problem(op, X, B))) {
    restart();
  }
  void restart(double x = 0) {
    A->apply(exact, *B);
    X->putScalar(x);
    problem->setProblem();
  }
  [[nodiscard]] double error() const { return distance(*X, exact); }
};

/// The 1 / 4 of the diagonal of make_matrix(), nearly: a preconditioner.
Teuchos::RCP<Matrix> quarter(GO n, Rows rows) {
  auto const map = make_map(n, rows);
  auto const M = Teuchos::rcp(new Matrix(map, 1));
  for (std::size_t i = 0; i < map->getLocalNumElements(); ++i) {
    GO const row = map->getGlobalElement(static_cast<LO>(i));
    double const value = 1.0 / (4.0 + 0.01 * static_cast<double>(row % 7));
    M->insertGlobalValues(row, 1, &value, &row);
  }
  M->fillComplete();
  return M;
}

TEST(BelosCg, HasTheIterationsOfBelos) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic, Rows::first_rank})
    for (auto const format : {einkorn::FormatName::csr, einkorn::FormatName::sell})
      for (double const start : {0.0, 3.0}) {
        Teuchos::RCP<Matrix const> const A = make_matrix(30, rows);
        System theirs(A, A, 1), ours(A, einkorn::tpetra::make_operator<FewFormats>(A, {.format = format}), 1);
        theirs.restart(start);
        ours.restart(start);
        Theirs belos(theirs.problem, tolerance(1e-10));
        Ours einkorn_cg(ours.problem, tolerance(1e-10));

        ASSERT_EQ(belos.solve(), Belos::Converged);
        ASSERT_EQ(einkorn_cg.solve(), Belos::Converged);

        EXPECT_NEAR(einkorn_cg.getNumIters(), belos.getNumIters(), 1) << "start " << start;  // rounding
        EXPECT_LE(ours.error(), 1e-8);
        EXPECT_LE(einkorn_cg.achievedTol(), 1e-10);
        EXPECT_FALSE(einkorn_cg.isLOADetected());
      }
}

TEST(BelosCg, SolvesColumnsOfTheMatrixItself) {
  Teuchos::RCP<Matrix const> const A = make_matrix(20, Rows::cyclic);
  System system(A, A, 3);
  Ours solver(system.problem, tolerance(1e-11));
  EXPECT_EQ(solver.solve(), Belos::Converged);
  EXPECT_LE(system.error(), 1e-8);
  ASSERT_EQ(solver.reports().size(), 3u);
  for (auto const& report : solver.reports()) EXPECT_LE(report.iterations, solver.getNumIters());
}

TEST(BelosCg, UsesNewValues) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic})
    for (bool const of_matrix : {true, false}) {
      auto const A = make_matrix(20, rows);
      auto const op = einkorn::tpetra::make_operator<FewFormats>(A, {.format = einkorn::FormatName::sell});
      System system(A, of_matrix ? Teuchos::RCP<Operator const>(A) : Teuchos::RCP<Operator const>(op), 1);
      Ours solver(system.problem, tolerance(1e-11));
      for (int step = 0; step < 3; ++step) {
        A->resumeFill();
        A->scale(2.0);
        A->fillComplete(A->getDomainMap(), A->getRangeMap());
        if (!of_matrix) op->update_values();
        system.restart();
        solver.setParameters(tolerance(step == 1 ? 1e-12 : 1e-11));
        EXPECT_EQ(solver.solve(), Belos::Converged);
        EXPECT_LE(system.error(), 1e-8) << "step " << step;
      }
    }
}

TEST(BelosCg, AppliesThePreconditionerOfTheProblem) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic}) {
    Teuchos::RCP<Matrix const> const A = make_matrix(30, rows);
    System theirs(A, A, 1), ours(A, A, 1);
    auto const M = quarter(30 * 30, rows);
    Ours solver(ours.problem, tolerance(1e-10));
    ASSERT_EQ(solver.solve(), Belos::Converged);  // the workspace of this solve has no z
    theirs.problem->setLeftPrec(M);
    ours.problem->setRightPrec(M);
    theirs.restart();
    ours.restart();
    Theirs belos(theirs.problem, tolerance(1e-10));

    ASSERT_EQ(belos.solve(), Belos::Converged);
    ASSERT_EQ(solver.solve(), Belos::Converged);

    EXPECT_NEAR(solver.getNumIters(), belos.getNumIters(), 1);
    EXPECT_LE(ours.error(), 1e-8);
  }
}

TEST(BelosCg, ScalesTheToleranceAsRequested) {
  Teuchos::RCP<Matrix const> const A = make_matrix(20, Rows::blocks);
  for (auto const& [scaling, reference] :
       {std::pair<std::string, double>{"None", 1.0}, {"Norm of RHS", 0.0}, {"Norm of Initial Residual", 0.0}}) {
    System system(A, A, 1);
    system.restart(100);
    auto const parameters = tolerance(1e-6);
    parameters->set("Residual Scaling", scaling);
    Ours solver(system.problem, parameters);
    ASSERT_EQ(solver.solve(), Belos::Converged);
    auto const& report = solver.reports().front();
    MultiVector residual(A->getRangeMap(), 1);
    A->apply(*system.X, residual);
    residual.update(1.0, *system.B, -1.0);
    double const norm = residual.getVector(0)->norm2(), right_hand_side = system.B->getVector(0)->norm2();
    double const scale = reference > 0              ? reference
                         : scaling == "Norm of RHS" ? right_hand_side
                                                    : report.initial_residual;
    EXPECT_LE(norm, 1.01e-6 * scale) << scaling;
    EXPECT_GT(report.recursive_residual, 1e-3 * 1e-6 * scale) << scaling << ": not more than asked";
    EXPECT_NEAR(solver.achievedTol(), norm / scale, 1e-2 * norm / scale) << scaling;
    EXPECT_EQ(solver.getCurrentParameters()->get<std::string>("Implicit Residual Scaling"), scaling);
  }
}

TEST(BelosCg, ReportsSolvesThatDoNotConverge) {
  Teuchos::RCP<Matrix const> const A = make_matrix(30, Rows::blocks);
  System system(A, A, 2);
  auto const parameters = tolerance(1e-10);
  parameters->set("Maximum Iterations", 3);
  auto const text = Teuchos::rcp(new std::ostringstream);
  parameters->set("Output Stream", Teuchos::RCP<std::ostream>(text));
  parameters->set("Verbosity", Belos::Errors + Belos::FinalSummary);
  Ours solver(system.problem, parameters);
  EXPECT_EQ(solver.solve(), Belos::Unconverged);
  EXPECT_EQ(solver.getNumIters(), 3);
  EXPECT_EQ(solver.reports().front().outcome, einkorn::Outcome::iteration_limit);
  EXPECT_EQ(text->str().find("column 1: iteration limit after 3 iterations") != std::string::npos,
            world()->getRank() == 0)
      << text->str();

  auto const copy = solver.clone();  // keeps the parameters
  copy->setProblem(system.problem);
  EXPECT_EQ(copy->solve(), Belos::Unconverged);
  EXPECT_EQ(copy->getNumIters(), 3);
  copy->setParameters(tolerance(1e-3));
  EXPECT_EQ(solver.getCurrentParameters()->get<double>("Convergence Tolerance"), 1e-10);
  EXPECT_EQ(copy->getCurrentParameters()->get<double>("Convergence Tolerance"), 1e-3);
}

TEST(BelosCg, RefusesInvalidArguments) {
  using einkorn::InvalidArgument;
  Teuchos::RCP<Matrix const> const A = make_matrix(4, Rows::blocks);
  System system(A, A, 1);
  Ours solver;
  expect_error<InvalidArgument>([&] { solver.solve(); }, "the problem is not set");
  solver.setProblem(Teuchos::rcp(new Problem(A, system.X, system.B)));
  expect_error<InvalidArgument>([&] { solver.solve(); }, "the problem is not set");

  expect_error<InvalidArgument>([&] { solver.setParameters(tolerance(-1)); }, "Convergence Tolerance is -1");
  auto const list = Teuchos::parameterList();
  list->set("Implicit Residual Scaling", "Norm of X");
  expect_error<InvalidArgument>([&] { solver.setParameters(list); }, "Norm of X");
  auto const unknown = Teuchos::parameterList();
  unknown->set("Tolerance", 1e-3);
  expect_error<Teuchos::Exceptions::InvalidParameter>([&] { solver.setParameters(unknown); }, "\"Tolerance\"");
  EXPECT_EQ(solver.getCurrentParameters()->get<double>("Convergence Tolerance"), 1e-8);

  solver.setProblem(system.problem);
  system.problem->setLeftPrec(A);
  system.problem->setRightPrec(A);
  system.problem->setProblem();
  expect_error<InvalidArgument>([&] { solver.solve(); }, "two preconditioners");
  auto const theirs = einkorn::tpetra::make_operator<einkorn::FormatList<einkorn::Csr>>(A);
  System other(A, theirs, 1);
  solver.setProblem(other.problem);
  expect_error<InvalidArgument>([&] { solver.solve(); }, "neither of make_operator()");
}

TEST(BelosCg, RefusesMatricesWithSharedRows) {
  if (world()->getSize() == 1) GTEST_SKIP() << "needs two ranks";
  auto const A = make_matrix_with_shared_row();
  System system(A, A, 1);
  Ours solver(system.problem, tolerance(1e-8));
  for (int attempt = 0; attempt < 2; ++attempt)
    expect_error<einkorn::InvalidArgument>([&] { solver.solve(); }, "each row on one rank");
}

}  // namespace
