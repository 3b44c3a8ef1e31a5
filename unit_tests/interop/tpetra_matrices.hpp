// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// Matrices and vectors of Tpetra for the tests of Einkorn::tpetra, with the default types of Tpetra.
namespace tpetra_test {

using Map = Tpetra::Map<>;
using LO = Map::local_ordinal_type;
using GO = Map::global_ordinal_type;
using NO = Map::node_type;
using Matrix = Tpetra::CrsMatrix<double, LO, GO, NO>;
using MultiVector = Tpetra::MultiVector<double, LO, GO, NO>;
using Operator = Tpetra::Operator<double, LO, GO, NO>;
using Exec = NO::execution_space;

inline Teuchos::RCP<Teuchos::Comm<int> const> world() {
  return Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
}

/// Which rows a rank owns.
enum class Rows {
  blocks,      // consecutive
  cyclic,      // every P-th, in descending order
  first_rank,  // all on rank 0: the others have none
};

inline Teuchos::RCP<Map const> make_map(GO n, Rows rows) {
  auto const comm = world();
  if (rows == Rows::blocks) return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(n), 0, comm));
  std::vector<GO> mine;
  for (GO row = n - 1; row >= 0; --row)
    if (rows == Rows::cyclic ? row % comm->getSize() == comm->getRank() : comm->getRank() == 0)
      mine.push_back(row);
  return Teuchos::rcp(
      new Map(static_cast<Tpetra::global_size_t>(n), mine.data(), static_cast<LO>(mine.size()), 0, comm));
}

/// -u'' - u_yy + c(x, y) u + wind u_x by 5 points on a grid of m x m; symmetric positive definite without wind.
inline void insert_row(Matrix& A, GO m, GO row, double wind) {
  GO const i = row % m, j = row / m;
  std::vector<GO> columns = {row};
  std::vector<double> values = {4.0 + 0.01 * static_cast<double>(row % 7)};
  auto const add = [&](bool exists, GO column, double value) {
    if (!exists) return;
    columns.push_back(column);
    values.push_back(value);
  };
  add(i > 0, row - 1, -1.0 - wind);
  add(i < m - 1, row + 1, -1.0 + wind);
  add(j > 0, row - m, -1.0);
  add(j < m - 1, row + m, -1.0);
  A.insertGlobalValues(row, static_cast<LO>(columns.size()), values.data(), columns.data());
}

inline Teuchos::RCP<Matrix> make_matrix(GO m, Rows rows, double wind = 0) {
  auto const map = make_map(m * m, rows);
  auto const A = Teuchos::rcp(new Matrix(map, 5));
  for (std::size_t i = 0; i < map->getLocalNumElements(); ++i)
    insert_row(*A, m, map->getGlobalElement(static_cast<LO>(i)), wind);
  A->fillComplete();
  return A;
}

/// A matrix of 20 rows with row 0 on every rank; the results are added by an export.
inline Teuchos::RCP<Matrix> make_matrix_with_shared_row() {
  auto const comm = world();
  std::vector<GO> rows;
  for (GO row = comm->getRank(); row < 20; row += comm->getSize()) rows.push_back(row);
  if (comm->getRank() != 0) rows.push_back(0);
  auto const shared = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                           rows.data(), static_cast<LO>(rows.size()), 0, comm));
  auto const A = Teuchos::rcp(new Matrix(shared, 2));
  for (GO const row : rows) {
    GO const columns[] = {row, (row + 1) % 20};
    double const values[] = {2.0, 1.0};
    A->insertGlobalValues(row, 2, values, columns);
  }
  auto const owned = make_map(20, Rows::blocks);
  A->fillComplete(owned, owned);
  return A;
}

/// Entry (g, j) is a function of the global row g, counted from the index base, and of j, on any number of ranks.
template <class Vectors = MultiVector>
Vectors make_vectors(Teuchos::RCP<typename Vectors::map_type const> const& map, std::size_t columns,
                     double phase = 0) {
  using Value = typename Vectors::impl_scalar_type;
  Vectors x(map, columns);
  auto const view = x.getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      auto const g = static_cast<double>(map->getGlobalElement(static_cast<LO>(i)) - map->getIndexBase());
      view(i, j) = static_cast<Value>(std::sin(0.7 * g + 1.3 * static_cast<double>(j) + phase));
    }
  return x;
}

/// The largest |a - b| of all ranks and columns; infinity if there is a NaN.
template <class Vectors>
double distance(Vectors const& a, Vectors const& b) {
  auto const x = a.getLocalViewHost(Tpetra::Access::ReadOnly);
  auto const y = b.getLocalViewHost(Tpetra::Access::ReadOnly);
  double mine = 0, all = 0;
  for (std::size_t j = 0; j < x.extent(1); ++j)
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      double const d = std::abs(static_cast<double>(x(i, j)) - static_cast<double>(y(i, j)));
      mine = d <= mine ? mine : d == d ? d : std::numeric_limits<double>::infinity();
    }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// body() throws Kind with `part` in its message.
template <class Kind, class Body>
void expect_error(Body const& body, std::string const& part) {
  try {
    body();
    ADD_FAILURE() << "no exception, expected: " << part;
  } catch (Kind const& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace tpetra_test
