// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Communicators and transports: those of MPI if mpi.h is found, on GPUs also peer memory, and NCCL if nccl.h is found.
// Compiled for the host, and by scripts/check_hip.sh and check_cuda.sh for a device.
#include <einkorn/core/comm/choose_transport.hpp>
#include <einkorn/core/comm/loopback.hpp>
#include <einkorn/core/comm/peer_transport.hpp>
#if __has_include(<mpi.h>)
#include <einkorn/core/comm/make_transport.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#endif
#if defined(KOKKOS_ENABLE_CUDA) && __has_include(<nccl.h>)
#define EINKORN_TEST_NCCL
#elif defined(KOKKOS_ENABLE_HIP) && __has_include(<rccl/rccl.h>)
#define EINKORN_TEST_NCCL
#endif
#ifdef EINKORN_TEST_NCCL
#include <einkorn/core/comm/nccl_transport.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <memory>
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

/// The transports of GPUs; a template, because other spaces have none.
template <class Exec>
double transports_of_devices(Exec const& exec, Communicator const& comm) {
  double sum = 0;
  if constexpr (has_peer_memory<Exec>) {
    PeerTransport<Exec> peer(comm);
    sum += every_function(peer);
#ifdef EINKORN_TEST_NCCL
    NcclTransport<Exec> nccl(exec, comm);
    sum += every_function(nccl);
#endif
  }
  static_cast<void>(exec);
  return sum;
}
double devices(Communicator const& comm) {
  return transports_of_devices(Space(), comm);
}

template <class Exec>
std::vector<TransportCandidate<Exec>> candidates_of(Exec const& exec, Communicator const& comm) {
  std::vector<TransportCandidate<Exec>> candidates;
#ifdef EINKORN_TEST_NCCL
  if constexpr (has_peer_memory<Exec>) candidates.push_back(nccl_candidate(exec, comm));
#endif
  static_cast<void>(exec);
  static_cast<void>(comm);
  return candidates;
}

double chosen_transport(Communicator const& comm) {
  auto candidates = candidates_of(Space(), comm);
  candidates.push_back({"loopback", [=] { return std::make_shared<LoopbackTransport<Space>>(comm); }});
  std::vector<TransportTime> times;
  return every_function(*choose_transport(Space(), comm, candidates, "automatic", &times)) +
         static_cast<double>(fastest_transport(times).value_or(0));
}

#if __has_include(<mpi.h>)
double made_transport() {
  auto const comm = make_mpi_communicator();
  std::vector<TransportTime> times;
  return every_function(*make_transport(Space(), comm)) +
         every_function(*make_transport(Space(), comm, "mpi", candidates_of(Space(), comm), &times));
}

double ranks_of_mpi() {
  auto const comm = make_mpi_communicator();
  MpiTransport<Space> transport(comm, device_buffers_work(Space(), comm) ? Staging::device : Staging::pinned);
  return every_function(transport);
}
#endif

}  // namespace einkorn::test
