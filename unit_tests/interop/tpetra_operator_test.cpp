// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

#include "tpetra_matrices.hpp"

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>

#include <Tpetra_Distributor.hpp>
#include <memory>
#include <string>

namespace {

using namespace tpetra_test;
using einkorn::FormatName;
using Formats = einkorn::FormatList<einkorn::Csr, einkorn::Sell>;  // few, for the compile time
using Options = einkorn::tpetra::OperatorOptions;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tolerance = 1e-13;  // rows of 5 entries of at most 4

auto make_operator(Teuchos::RCP<Matrix> const& A, Options const& options = {}) {
  return einkorn::tpetra::make_operator<Formats>(A, options);
}

void expect_products_of(Matrix const& A, Operator const& op, std::string const& what) {
  for (std::size_t const columns : {1, 3})
    for (bool const overwrites : {true, false}) {
      auto const x = make_vectors(A.getDomainMap(), columns);
      auto y = make_vectors(A.getRangeMap(), columns, 0.4),
           expected = make_vectors(A.getRangeMap(), columns, 0.4);
      if (overwrites) y.putScalar(nan);
      double const alpha = overwrites ? 1.0 : -2.0, beta = overwrites ? 0.0 : 0.5;
      A.apply(x, expected, Teuchos::NO_TRANS, alpha, beta);
      op.apply(x, y, Teuchos::NO_TRANS, alpha, beta);
      EXPECT_LE(distance(y, expected), tolerance) << what << ", columns " << columns << ", beta " << beta;
    }
}

TEST(TpetraOperator, MultipliesAsTheMatrix) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic, Rows::first_rank})
    for (auto const& format :
         {std::optional<FormatName>(), std::optional(FormatName::csr), std::optional(FormatName::sell)}) {
      auto const A = make_matrix(9, rows, 0.3);
      auto const op = make_operator(A, {.format = format});

      EXPECT_FALSE(op->delegates());
      if (format) {
        EXPECT_EQ(op->format(), *format);
      }
      expect_products_of(*A, *op,
                         "rows " + std::to_string(static_cast<int>(rows)) + ", " +
                             (format ? std::to_string(static_cast<int>(*format)) : "automatic"));
    }
}

/// The column map has its owned entries last, and not in the order of the rows.
TEST(TpetraOperator, AcceptsColumnMapsThatAreNotFitted) {
  auto const fitted = make_matrix(7, Rows::blocks, 0.3);
  auto const& old = *fitted->getColMap();
  std::vector<GO> columns;
  for (std::size_t i = old.getLocalNumElements(); i > 0; --i)
    columns.push_back(old.getGlobalElement(static_cast<LO>(i - 1)));
  auto const map = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                        columns.data(), static_cast<LO>(columns.size()), 0, world()));
  auto const A = Teuchos::rcp(new Matrix(fitted->getRowMap(), map, 5));
  for (std::size_t i = 0; i < A->getLocalNumRows(); ++i)
    insert_row(*A, 7, fitted->getRowMap()->getGlobalElement(static_cast<LO>(i)), 0.3);
  A->fillComplete(fitted->getDomainMap(), fitted->getRangeMap());

  for (auto const format : {FormatName::csr, FormatName::sell}) {
    auto const op = make_operator(A, {.format = format});
    EXPECT_FALSE(op->delegates());
    expect_products_of(*A, *op, "not fitted");
  }
}

TEST(TpetraOperator, MultipliesVectorsThatShareMemoryOrHaveNoConstantStride) {
  auto const A = make_matrix(8, Rows::blocks, 0.3);
  auto const op = make_operator(A);
  Teuchos::Array<std::size_t> const chosen = Teuchos::tuple<std::size_t>(0, 2, 3);

  auto x = make_vectors(A->getDomainMap(), 2);
  MultiVector expected(A->getRangeMap(), 2);
  A->apply(x, expected);
  op->apply(x, x);
  EXPECT_LE(distance(x, expected), tolerance) << "X = Y";

  auto const all = make_vectors(A->getDomainMap(), 4);
  MultiVector results(A->getRangeMap(), 4), of_matrix(A->getRangeMap(), 4);
  A->apply(*all.subView(chosen()), *of_matrix.subViewNonConst(chosen()));
  op->apply(*all.subView(chosen()), *results.subViewNonConst(chosen()));
  EXPECT_LE(distance(results, of_matrix), tolerance) << "columns 0, 2, 3";
}

TEST(TpetraOperator, MultipliesWithTheTransposeOfTheMatrix) {
  auto const A = make_matrix(8, Rows::blocks, 0.3);
  auto const op = make_operator(A);
  auto const x = make_vectors(A->getRangeMap(), 2);
  MultiVector y(A->getDomainMap(), 2), expected(A->getDomainMap(), 2), other(A->getDomainMap(), 2);
  ASSERT_TRUE(op->hasTransposeApply());

  op->apply(x, y, Teuchos::TRANS);
  A->apply(x, expected, Teuchos::TRANS);
  A->apply(x, other);

  EXPECT_LE(distance(y, expected), tolerance);
  EXPECT_GT(distance(y, other), 0.1);  // A is not symmetric
}

TEST(TpetraOperator, UsesNewValuesAfterUpdateValues) {
  for (auto const format : {FormatName::csr, FormatName::sell}) {
    auto const A = make_matrix(8, Rows::cyclic, 0.3);
    auto const op = make_operator(A, {.format = format});
    for (int step = 1; step <= 3; ++step) {
      A->resumeFill();
      {  // other values in each entry; fails if op holds a View on the other side of a device
        auto const values = A->getLocalValuesHost(Tpetra::Access::ReadWrite);
        for (std::size_t k = 0; k < values.extent(0); ++k) values(k) += 0.1 * static_cast<double>(k % 5) * step;
      }
      A->fillComplete(A->getDomainMap(), A->getRangeMap());
      op->update_values();
      expect_products_of(*A, *op, "step " + std::to_string(step));
    }
  }
}

TEST(TpetraOperator, DelegatesWhereRowsAreShared) {
  auto const A = make_matrix_with_shared_row();
  auto const op = make_operator(A);

  EXPECT_EQ(op->delegates(), world()->getSize() > 1);
  expect_products_of(*A, *op, "shared rows");
}

TEST(TpetraOperator, RefusesInvalidArguments) {
  auto const A = make_matrix(4, Rows::blocks);
  expect_error<einkorn::InvalidArgument>([&] { make_operator(Teuchos::RCP<Matrix>()); }, "A is null");
  expect_error<einkorn::InvalidArgument>([&] { make_operator(A, {.format = FormatName::dia}); }, "format is");
  auto const open = Teuchos::rcp(new Matrix(make_map(4, Rows::blocks), 1));
  expect_error<einkorn::InvalidArgument>([&] { make_operator(open); }, "not fill complete");
  expect_error<einkorn::InvalidArgument>([&] { einkorn::tpetra::make_distributed_csr(Exec(), *open); },
                                         "not fill complete");

  auto const op = make_operator(A);
  auto const x = make_vectors(A->getDomainMap(), 2);
  MultiVector y(A->getRangeMap(), 3);
  expect_error<einkorn::DimensionMismatch>([&] { op->apply(x, y); }, "X has 2 columns, Y has 3");
}

TEST(TpetraDistributed, ExchangesAsTheImporter) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic}) {
    auto const A = make_matrix(9, rows);
    auto const D = einkorn::tpetra::make_distributed_csr(Exec(), *A);
    auto const importer = A->getCrsGraph()->getImporter();
    if (importer.is_null()) {
      EXPECT_EQ(D.num_ghosts(), 0);
      continue;
    }
    // rank -> entries, as messages may be in another order
    auto const ours = [](std::vector<int> const& ranks, std::vector<std::size_t> const& offsets) {
      std::vector<std::pair<int, std::size_t>> result;
      for (std::size_t i = 0; i < ranks.size(); ++i) result.emplace_back(ranks[i], offsets[i + 1] - offsets[i]);
      return result;
    };
    auto const theirs = [](auto const& ranks, auto const& lengths) {
      std::vector<std::pair<int, std::size_t>> result;
      for (Teuchos_Ordinal i = 0; i < ranks.size(); ++i) result.emplace_back(ranks[i], lengths[i]);
      std::sort(result.begin(), result.end());
      return result;
    };
    auto const& messages = D.halo.messages;
    auto const& distributor = importer->getDistributor();
    EXPECT_EQ(ours(messages.receive_ranks, messages.receive_offsets),
              theirs(distributor.getProcsFrom(), distributor.getLengthsFrom()));
    EXPECT_EQ(ours(messages.send_ranks, messages.send_offsets),
              theirs(distributor.getProcsTo(), distributor.getLengthsTo()));
    EXPECT_EQ(static_cast<std::size_t>(D.num_ghosts()), importer->getNumRemoteIDs());
  }
}

TEST(TpetraDistributed, CgSolvesWithVectorsOfTpetra) {
  for (Rows const rows : {Rows::blocks, Rows::cyclic, Rows::first_rank}) {
    auto const A = make_matrix(20, rows);
    Exec const exec;
    auto const D = einkorn::tpetra::make_distributed_csr(exec, *A);
    auto const op = einkorn::make_distributed_operator<double>(
        exec, D, std::make_shared<einkorn::MpiTransport<Exec>>(D.communicator));
    auto const exact = make_vectors(A->getDomainMap(), 1);
    MultiVector B(A->getRangeMap(), 1), X(A->getDomainMap(), 1);

    for (double const factor : {1.0, 2.0}) {
      A->resumeFill();
      A->scale(factor);
      A->fillComplete(A->getDomainMap(), A->getRangeMap());
      einkorn::tpetra::update_values(exec, D, *A);
      A->apply(exact, B);
      X.putScalar(0);
      auto const b = B.getLocalViewDevice(Tpetra::Access::ReadOnly);
      auto const x = X.getLocalViewDevice(Tpetra::Access::ReadWrite);
      auto const report = einkorn::cg(exec, op, Kokkos::subview(b, Kokkos::ALL, 0),
                                      Kokkos::subview(x, Kokkos::ALL, 0), {.tolerance = 1e-12});
      EXPECT_EQ(report.outcome, einkorn::Outcome::converged);
    }

    EXPECT_LE(distance(X, exact), 1e-9);
  }
}

}  // namespace
