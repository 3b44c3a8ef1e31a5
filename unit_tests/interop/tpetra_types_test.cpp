// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Einkorn::tpetra for scalars and global ordinals other than the default ones of Tpetra.
#include "tpetra_definitions.hpp"
#include "tpetra_matrices.hpp"

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/formats/interop/tpetra_preconditioner.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace {

using tpetra_test::distance;
using tpetra_test::make_vectors;

template <class Scalar, class Ordinal>
struct Types {
  using SC = Scalar;
  using GO = Ordinal;
  using NO = Tpetra::Map<>::node_type;
  using Map = Tpetra::Map<int, GO, NO>;
  using Matrix = Tpetra::CrsMatrix<SC, int, GO, NO>;
  using MultiVector = Tpetra::MultiVector<SC, int, GO, NO>;
};

/// Global row numbers of 64 bits are beyond those of 32 bits.
template <class GO>
constexpr GO index_base = sizeof(GO) > 4 ? static_cast<GO>(5'000'000'000) : GO(0);

/// Tridiagonal with the diagonal `diagonal` and -1 beside it.
template <class T>
Teuchos::RCP<typename T::Matrix> make_matrix(typename T::GO n, double diagonal) {
  using GO = typename T::GO;
  GO const base = index_base<GO>;
  auto const map =
      Teuchos::rcp(new typename T::Map(static_cast<Tpetra::global_size_t>(n), base, tpetra_test::world()));
  auto const A = Teuchos::rcp(new typename T::Matrix(map, 3));
  for (std::size_t i = 0; i < map->getLocalNumElements(); ++i) {
    GO const row = map->getGlobalElement(static_cast<int>(i));
    for (GO const column : {row - 1, row, row + 1}) {
      if (column < base || column >= base + n) continue;
      auto const value = static_cast<typename T::SC>(column == row ? diagonal : -1.0);
      A->insertGlobalValues(row, 1, &value, &column);
    }
  }
  A->fillComplete();
  return A;
}

template <class T>
class TpetraTypes : public testing::Test {};
using Combinations = testing::Types<Types<float, int>, Types<double, long long>, Types<float, long long>>;
TYPED_TEST_SUITE(TpetraTypes, Combinations);

TYPED_TEST(TpetraTypes, OperatorMultipliesAsTheMatrix) {
  using SC = typename TypeParam::SC;
  double const tolerance =
      32 * static_cast<double>(std::numeric_limits<SC>::epsilon());  // 3 entries of at most 5
  auto const A = make_matrix<TypeParam>(50, 4.5);
  for (auto const format : {einkorn::FormatName::csr, einkorn::FormatName::sell}) {
    auto const op =
        einkorn::tpetra::make_operator<einkorn::FormatList<einkorn::Csr, einkorn::Sell>>(A, {.format = format});
    EXPECT_FALSE(op->delegates());
    for (std::size_t const columns : {1, 3})
      for (int const step : {1, 2}) {
        A->resumeFill();
        A->scale(static_cast<SC>(step));
        A->fillComplete(A->getDomainMap(), A->getRangeMap());
        op->update_values();
        auto const x = make_vectors<typename TypeParam::MultiVector>(A->getDomainMap(), columns);
        typename TypeParam::MultiVector y(A->getRangeMap(), columns), expected(A->getRangeMap(), columns);
        A->apply(x, expected);
        op->apply(x, y);
        EXPECT_LE(distance(y, expected), tolerance * step) << columns << " columns";
        A->resumeFill();
        A->scale(static_cast<SC>(1) / static_cast<SC>(step));
        A->fillComplete(A->getDomainMap(), A->getRangeMap());
      }
  }
}

TYPED_TEST(TpetraTypes, PcgSolvesWithAnOperatorOfTpetraAsPreconditioner) {
  using SC = typename TypeParam::SC;
  using Exec = typename TypeParam::NO::execution_space;
  auto const A = make_matrix<TypeParam>(200, 2.5);
  Teuchos::RCP<typename TypeParam::Matrix const> const M =
      make_matrix<TypeParam>(200, 4.0);  // positive definite
  Exec const exec;
  auto const D = einkorn::tpetra::make_distributed_csr(exec, *A);
  auto const op = einkorn::make_distributed_operator<SC>(
      exec, D, std::make_shared<einkorn::MpiTransport<Exec>>(D.communicator));
  auto const exact = make_vectors<typename TypeParam::MultiVector>(A->getDomainMap(), 1);
  typename TypeParam::MultiVector B(A->getRangeMap(), 1), X(A->getDomainMap(), 1);
  A->apply(exact, B);
  double const tolerance = 20 * static_cast<double>(std::numeric_limits<SC>::epsilon());
  {
    auto const b = B.getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const x = X.getLocalViewDevice(Tpetra::Access::ReadWrite);
    auto const report =
        einkorn::pcg(exec, op, einkorn::tpetra::make_preconditioner(M), Kokkos::subview(b, Kokkos::ALL, 0),
                     Kokkos::subview(x, Kokkos::ALL, 0), {.tolerance = tolerance});
    EXPECT_EQ(report.outcome, einkorn::Outcome::converged);
  }
  // |x - exact| <= |A^-1| |r|, |A^-1| <= 1 / (2.5 - 2), |r| <= tolerance |b|, |b| <= 4.5 |exact| <= 4.5 sqrt(200)
  EXPECT_LE(distance(X, exact), 2 * tolerance * 4.5 * std::sqrt(200.0));
}

}  // namespace
