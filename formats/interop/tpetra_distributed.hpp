// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/formats/distributed/update_values.hpp>
#include <einkorn/formats/interop/detail/tpetra_maps.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <type_traits>

namespace einkorn::tpetra {

/// The offsets of the rows of a Tpetra::CrsMatrix.
template <class Matrix>
using OffsetOf = typename Matrix::local_graph_device_type::row_map_type::non_const_value_type;

/// A Tpetra::CrsMatrix as a DistributedCsr, for the solvers of Einkorn. Collective.
///
/// The rows and the vectors of a rank keep Tpetra's local order; global row begin(rank) + i of the result is local
/// row i. Its halo exchange is that of A's importer. Shares no memory with A: see update_values(). The solvers
/// take the result through make_distributed_operator() (solvers/distributed/operator.hpp) and
/// MpiTransport(result.communicator).
/// @param A  fill complete, square; row, range and domain map are the same, each row on one rank
/// @throws InvalidArgument if A is not so; what distribute_rows() throws: the same on all ranks
///
/// Cost: one import of a vector of global ordinals, 8 bytes per entry on the host, distribute_rows(). Fences exec.
template <ExecutionSpace Exec, class SC, class LO, class GO, class NO>
auto make_distributed_csr(Exec const& exec, Tpetra::CrsMatrix<SC, LO, GO, NO> const& A) {
  using Offset = OffsetOf<Tpetra::CrsMatrix<SC, LO, GO, NO>>;
  auto const comm = detail::communicator_of(*A.getComm());
  comm.collectively([&] { detail::require_filled("tpetra::make_distributed_csr", A); });
  bool const is_distributable = detail::is_distributable(A);
  comm.collectively([&] {
    require<InvalidArgument>(is_distributable,
                             "tpetra::make_distributed_csr: expected a matrix whose row, range and domain map "
                             "are the same, with each row on one rank");
  });
  auto const blocks = detail::blocks_of(comm, *A.getRowMap());
  auto const columns = detail::numbered_columns(A, blocks.begin(comm.rank()));
  return distribute_rows<LO, Offset>(exec, comm, blocks, A.getLocalRowPtrsDevice(), columns,
                                     A.getLocalValuesDevice(Tpetra::Access::ReadOnly));
}

/// The values of D <- those of A. Collective.
/// @param D  of make_distributed_csr(exec, A); A has the same structure as then
/// @throws as einkorn::update_values()
/// Cost: that of einkorn::update_values(). Fences exec.
template <ExecutionSpace Exec, class V, class Offset, class Device, class SC, class LO, class GO, class NO>
void update_values(Exec const& exec, DistributedCsr<V, LO, Offset, Device> const& D,
                   Tpetra::CrsMatrix<SC, LO, GO, NO> const& A) {
  auto const values = A.getLocalValuesDevice(Tpetra::Access::ReadOnly);
  einkorn::update_values(exec, D, values);
  exec.fence("einkorn::tpetra::update_values: the values of A may change from here on");
}

}  // namespace einkorn::tpetra
