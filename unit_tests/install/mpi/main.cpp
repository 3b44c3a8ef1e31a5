// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include <einkorn/core/comm/mpi_transport.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <cstdio>

/// Gathers the rank of every rank.
bool is_every_rank_gathered() {
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  auto const comm = einkorn::make_mpi_communicator();
  einkorn::MpiTransport<Exec> transport(comm);
  auto const gather = transport.open_gather(exec, 1);
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(gather->mine(), 1),
                    static_cast<double>(comm.rank()));
  gather->gather(exec, 0, 1);
  bool is_right = true;
  for (int r = 0; r < comm.size(); ++r) {
    Kokkos::View<double const, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const value(gather->all() + r);
    double on_host = -1;
    Kokkos::deep_copy(exec, on_host, value);
    exec.fence();
    is_right = is_right && on_host == r;
  }
  if (comm.rank() == 0) std::printf("%d ranks, %s\n", comm.size(), transport.name().c_str());
  return is_right;
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  Kokkos::initialize(argc, argv);
  bool const is_right = is_every_rank_gathered();
  Kokkos::finalize();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
