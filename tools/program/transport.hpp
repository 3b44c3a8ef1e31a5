// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/transport_names.hpp"

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>

#include <memory>
#include <string>

namespace einkorn::program {

/// The transport with a name of transport_names(). The only place of the programs that creates one. Collective.
/// @param comm  of make_mpi_communicator()
/// @throws InvalidArgument for another name, on all ranks
template <class Exec>
std::shared_ptr<Transport<Exec>> transport_of(Exec const&, Communicator const& comm, std::string const& name) {
  comm.collectively([&] {
    auto const error = transport_error(name);
    require<InvalidArgument>(error.empty(), [&] { return error; });
  });
  return std::make_shared<MpiTransport<Exec>>(comm);  // `auto` and `mpi`
}

}  // namespace einkorn::program
