// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "types.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/core/comm/communicator.hpp>
#ifdef EINKORN_TEST_MPI
#include <einkorn/core/comm/mpi_communicator.hpp>
#else
#include <einkorn/core/comm/loopback.hpp>
#endif

#include <gtest/gtest.h>

#include <string>

namespace einkorn::test {

/// An instance for a thread of run_ranks(): on a GPU a new one, since reductions of an instance share memory.
inline Space instance_of_rank() {
  if constexpr (is_gpu<Space>)
    return Kokkos::Experimental::partition_space(Space(), 1)[0];
  else
    return Space();
}

/// Calls test(communicator) on every rank: with EINKORN_TEST_MPI on those of MPI_COMM_WORLD, otherwise on 1 to 4
/// ranks of run_ranks(), which are host threads.
template <class Test>
void for_each_communicator(Test const& test) {
#ifdef EINKORN_TEST_MPI
  test(make_mpi_communicator(MPI_COMM_WORLD));
#else
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    run_ranks(ranks, [&](Communicator const& comm) {
      SCOPED_TRACE("rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
      test(comm);
    });
  }
#endif
}

}  // namespace einkorn::test
