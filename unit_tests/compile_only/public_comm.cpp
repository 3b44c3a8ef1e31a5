// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Communicators and transports, those of MPI if mpi.h is found. Compiled for the host, and by scripts/check_hip.sh
// and check_cuda.sh for a device.
#include <einkorn/core/comm/loopback.hpp>
#if __has_include(<mpi.h>)
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <vector>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;

/// Every function of a transport.
double every_function(Transport<Space>& transport) {
  Space const exec;
  auto const& comm = transport.communicator();
  HaloMessages const messages;
  auto const halo = transport.open_halo(exec, messages, sizeof(double));
  halo->start(exec);
  halo->finish(exec);
  auto const gather = transport.open_gather(exec, 5);
  gather->gather(exec, 0, 5);
  auto const received = comm.exchange(std::vector<std::vector<int>>(static_cast<std::size_t>(comm.size())));
  auto const bytes = comm.collectively([&] { return transport.name().size() + received.size(); });
  return static_cast<double>(bytes) + static_cast<double>(comm.all_gather(1).size());
}

void ranks_of_one_process() {
  run_ranks(2, [](Communicator const& comm) {
    LoopbackTransport<Space> transport(comm, {.poison_ghosts = true, .max_delay_us = 10, .seed = 1});
    every_function(transport);
  });
}

#if __has_include(<mpi.h>)
double ranks_of_mpi() {
  auto const comm = make_mpi_communicator();
  MpiTransport<Space> transport(comm, device_buffers_work(Space(), comm) ? Staging::device : Staging::pinned);
  return every_function(transport);
}
#endif

}  // namespace einkorn::test
