// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace einkorn::tpetra::detail {

/// The ranks of a communicator of Teuchos. Collective. The thread level of MPI is not checked: Tpetra's
/// ScopeGuard calls MPI_Init, and only the thread that calls Einkorn calls MPI.
inline Communicator communicator_of(Teuchos::Comm<int> const& comm) {
  auto handle = MPI_COMM_SELF;
  if (auto const* const mpi = dynamic_cast<Teuchos::MpiComm<int> const*>(&comm); mpi != nullptr)
    handle = (*mpi->getRawMpiComm())();
  else
    require<InvalidArgument>(comm.getSize() == 1, [&] {
      return "tpetra: the communicator has " + std::to_string(comm.getSize()) +
             " processes and is no Teuchos::MpiComm";
    });
  return Communicator(std::make_shared<einkorn::detail::MpiBackend>(handle, 1 << 30));
}

/// Whether the ranks own the rows and columns of A in the same disjoint blocks, so that DistributedCsr can store
/// it. Collective.
template <class Matrix>
bool is_distributable(Matrix const& A) {
  auto const& rows = *A.getRowMap();
  return A.getCrsGraph()->getExporter().is_null() && rows.isSameAs(*A.getRangeMap()) &&
         rows.isSameAs(*A.getDomainMap()) && rows.isOneToOne();
}

/// One block per rank: row i of a rank, in the order of its map, is row begin(rank) + i.
template <class Map>
RowBlocks blocks_of(Communicator const& comm, Map const& rows) {
  auto const sizes = comm.all_gather(static_cast<std::int64_t>(rows.getLocalNumElements()));
  auto offsets = allocate_vector<std::int64_t>("einkorn::tpetra: blocks", sizes.size() + 1);
  for (std::size_t r = 0; r < sizes.size(); ++r) offsets[r + 1] = offsets[r] + sizes[r];
  return RowBlocks(std::move(offsets));
}

/// The number in RowBlocks of each entry of the column map of A: Tpetra's importer sends the numbers as it sends
/// the entries of a vector. Collective.
template <class SC, class LO, class GO, class NO>
Tpetra::Vector<GO, LO, GO, NO> column_numbers(Tpetra::CrsMatrix<SC, LO, GO, NO> const& A,
                                              std::int64_t first_row) {
  using Numbers = Tpetra::Vector<GO, LO, GO, NO>;
  Numbers owned(A.getDomainMap(), false);
  {
    auto const numbers = owned.getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < numbers.extent(0); ++i)
      numbers(i, 0) = static_cast<GO>(first_row + static_cast<std::int64_t>(i));
  }
  auto const importer = A.getCrsGraph()->getImporter();
  if (importer.is_null()) return owned;
  Numbers of_columns(A.getColMap(), false);
  of_columns.doImport(owned, *importer, Tpetra::INSERT);
  return of_columns;
}

/// The columns of A as numbers in RowBlocks, [entries]. Collective.
template <class Matrix>
Kokkos::View<std::int64_t*, Kokkos::HostSpace> numbered_columns(Matrix const& A, std::int64_t first_row) {
  using Columns = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;
  auto const numbers_of = column_numbers(A, first_row);
  auto const numbers = numbers_of.getLocalViewHost(Tpetra::Access::ReadOnly);
  auto const local = A.getLocalIndicesHost();
  auto const columns =
      allocate<Columns>(typename Columns::execution_space(), "einkorn::tpetra: columns", local.extent(0));
  for (std::size_t k = 0; k < local.extent(0); ++k)
    columns(k) = static_cast<std::int64_t>(numbers(static_cast<std::size_t>(local(k)), 0));
  return columns;
}

template <class Matrix>
void require_filled(char const* function, Matrix const& A) {
  require<InvalidArgument>(A.isFillComplete(), [&] {
    return std::string(function) + ": A is not fill complete, expected a matrix after fillComplete()";
  });
}

}  // namespace einkorn::tpetra::detail
