// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/choose_transport.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/comm/peer_transport.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// A transport between the ranks of MPI: choose_transport() of "peer" (PeerTransport, on CUDA and HIP), the candidates of
/// `more`, and "mpi" (MpiTransport, always available). Collective.
///
///     auto const transport = make_transport(exec, comm);                                     // the fastest one
///     auto const named = make_transport(exec, comm, "mpi");
///     auto const of_four = make_transport(exec, comm, "automatic", {nccl_candidate(exec, comm)});  // Einkorn::nccl
///
/// @param comm   of make_mpi_communicator()
/// @param name   "automatic", "peer", "mpi", or a name of `more`
/// @param more   further candidates, the same on all ranks
/// @param times  as in choose_transport()
/// @throws the exceptions of choose_transport(), on every rank
template <ExecutionSpace Exec>
[[nodiscard]] std::shared_ptr<Transport<Exec>> make_transport(
    Exec const& exec, Communicator const& comm, std::string_view name = "automatic",
    std::type_identity_t<std::vector<TransportCandidate<Exec>>> more = {},
    std::vector<TransportTime>* times = nullptr) {
  auto const candidates = comm.collectively([&] {
    std::vector<TransportCandidate<Exec>> list;
    reserve(list, "einkorn::make_transport", more.size() + 2);
    if constexpr (has_peer_memory<Exec>)
      list.push_back({"peer", [comm] { return std::make_shared<PeerTransport<Exec>>(comm); }});
    for (auto& candidate : more) list.push_back(std::move(candidate));
    list.push_back({"mpi", [comm] { return std::make_shared<MpiTransport<Exec>>(comm); }});
    return list;
  });
  return choose_transport(exec, comm, candidates, name, times);
}

}  // namespace einkorn
