// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/peer_transport.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace einkorn::program {

/// Whether this program is linked to Einkorn::nccl.
#ifdef EINKORN_PROGRAM_NCCL
inline constexpr bool has_nccl = true;
#else
inline constexpr bool has_nccl = false;
#endif

/// The values of --transport, for a program with or without peer memory and NCCL.
inline std::vector<std::string> transport_names(bool with_peer, bool with_nccl) {
  std::vector<std::string> names{"automatic", "mpi"};
  if (with_peer) names.push_back("peer");
  if (with_nccl) names.push_back("nccl");
  return names;
}

/// "automatic|mpi".
inline std::string transport_choices(bool with_peer, bool with_nccl) {
  std::string text;
  for (auto const& name : transport_names(with_peer, with_nccl)) text += (text.empty() ? "" : "|") + name;
  return text;
}
/// Of this program.
inline std::string transport_choices() {
  return transport_choices(has_peer_memory<Kokkos::DefaultExecutionSpace>, has_nccl);
}

/// The name of a value of --transport: `auto` is a former spelling of `automatic`.
inline std::string transport_name_of(std::string const& value) {
  return value == "auto" ? "automatic" : value;
}

/// The error of a value that such a program does not have, else empty.
inline std::string transport_error(std::string const& value, bool with_peer, bool with_nccl) {
  auto const names = transport_names(with_peer, with_nccl);
  if (std::find(names.begin(), names.end(), transport_name_of(value)) != names.end()) return {};
  auto const choices = "; it has " + transport_choices(with_peer, with_nccl);
  if (value == "peer")
    return "peer needs an execution space of CUDA or HIP, which this program does not use" + choices;
  if (value == "nccl") return "nccl needs Einkorn::nccl, without which this program was built" + choices;
  return value + " is not a transport of this program" + choices;
}
/// Of this program; a check of CLI11.
inline std::string transport_error(std::string const& value) {
  return transport_error(value, has_peer_memory<Kokkos::DefaultExecutionSpace>, has_nccl);
}

}  // namespace einkorn::program
