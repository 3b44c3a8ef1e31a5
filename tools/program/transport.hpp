// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/transport_names.hpp"

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/make_transport.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/comm/transport_time.hpp>
#ifdef EINKORN_PROGRAM_NCCL
#include <einkorn/core/comm/nccl_transport.hpp>
#endif

#include <memory>
#include <string>
#include <vector>

namespace einkorn::program {

/// A transport, and what an automatic choice measured.
template <class Exec>
struct ChosenTransport {
  std::shared_ptr<Transport<Exec>> transport;
  std::vector<TransportTime> times;  // empty if it was chosen by name
};

/// The transport of a value of --transport. The only place of the programs that creates one. Collective.
/// @param comm  of make_mpi_communicator()
/// @throws the exceptions of make_transport(), on all ranks
template <class Exec>
ChosenTransport<Exec> transport_of(Exec const& exec, Communicator const& comm, std::string const& value) {
  std::vector<TransportCandidate<Exec>> more;
#ifdef EINKORN_PROGRAM_NCCL
  more.push_back(nccl_candidate(exec, comm));
#endif
  ChosenTransport<Exec> chosen;
  chosen.transport = make_transport(exec, comm, transport_name_of(value), more, &chosen.times);
  return chosen;
}

}  // namespace einkorn::program
