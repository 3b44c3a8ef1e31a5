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

/// Entry (g, j) is a function of the global row g and of j, on any number of ranks.
inline MultiVector make_vectors(Teuchos::RCP<Map const> const& map, std::size_t columns, double phase = 0) {
  MultiVector x(map, columns);
  auto const view = x.getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      auto const g = static_cast<double>(map->getGlobalElement(static_cast<LO>(i)));
      view(i, j) = std::sin(0.7 * g + 1.3 * static_cast<double>(j) + phase);
    }
  return x;
}

/// The largest |a - b| of all ranks and columns; NaN if there is one.
inline double distance(MultiVector const& a, MultiVector const& b) {
  auto const x = a.getLocalViewHost(Tpetra::Access::ReadOnly);
  auto const y = b.getLocalViewHost(Tpetra::Access::ReadOnly);
  double mine = 0, all = 0;
  for (std::size_t j = 0; j < x.extent(1); ++j)
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      double const d = std::abs(x(i, j) - y(i, j));
      mine = d <= mine ? mine : d == d ? d : std::numeric_limits<double>::infinity();
    }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

}  // namespace tpetra_test
