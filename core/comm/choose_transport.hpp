// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/transport_probe.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/comm/transport_time.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// A transport that choose_transport() may create.
template <class Exec>
struct TransportCandidate {
  std::string name;
  /// Collective. Throws the same on all ranks if the transport is not available.
  std::function<std::shared_ptr<Transport<Exec>>()> make;
};

namespace detail {

/// @throws InvalidArgument on every rank unless `text` is the same on all ranks. Collective.
inline void require_same_text(Communicator const& comm, char const* what, std::string const& text) {
  if (comm.size() == 1) return;
  auto const sent = comm.collectively([&] {
    return allocate_vector<std::vector<char>>("einkorn::choose_transport",
                                              static_cast<std::size_t>(comm.size()),
                                              std::vector<char>(text.begin(), text.end()));
  });
  auto const all = comm.exchange(sent);
  auto const text_of = [&](std::size_t r) { return "\"" + std::string(all[r].begin(), all[r].end()) + "\""; };
  for (std::size_t r = 1; r < all.size(); ++r)
    require<InvalidArgument>(all[r] == all[0], [&] {
      return std::string("choose_transport: ") + what + " is " + text_of(0) + " on rank 0 and " + text_of(r) +
             " on rank " + std::to_string(r);
    });
}

/// The transport of a candidate. Collective. An exception of any rank becomes one of all.
template <class Exec>
std::shared_ptr<Transport<Exec>> make_on_all_ranks(Communicator const& comm,
                                                   TransportCandidate<Exec> const& candidate) {
  std::shared_ptr<Transport<Exec>> transport;
  std::exception_ptr failure;
  try {
    transport = candidate.make();
    require<InvalidArgument>(transport != nullptr && transport->communicator().size() == comm.size(), [&] {
      return "choose_transport: " + candidate.name + " is not a transport of " + std::to_string(comm.size()) +
             " ranks";
    });
  } catch (...) {
    failure = std::current_exception();
  }
  auto const fails = comm.all_gather(failure ? 1 : 0);
  if (std::find(fails.begin(), fails.end(), 0) == fails.end()) std::rethrow_exception(failure);  // of all ranks
  comm.collectively([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return transport;
}

/// Checks a transport and, on more than one rank, sets both times. Collective.
template <class Exec>
void measure_transport(Exec const& exec, Communicator const& comm, Transport<Exec>& transport,
                       TransportTime& time) {
  TransportProbe<Exec> const probe(exec, transport);
  comm.collectively([&] { probe.check(); });
  if (comm.size() == 1) return;
  auto const all = comm.all_gather(comm.collectively([&] { return probe.measure(); }));
  time.gather_seconds = fastest_round(all, &RoundTimes::gather);
  time.exchange_seconds = fastest_round(all, &RoundTimes::exchange);
}

}  // namespace detail

/// The transport with a name, or with "automatic" the fastest available one of several. Collective.
///
/// @param candidates  the transports to choose from, the same on all ranks
/// @param name        of a candidate, or "automatic"
/// @param times       if not null: one row per candidate that was tried; empty unless the choice is automatic
///
/// "automatic" makes each candidate, sends test data, and measures a gather of 5 doubles and an exchange of 64 KiB with
/// the next and the previous rank: 3 rounds of 20 calls and one fence, of which the fastest round of the slowest rank
/// counts. The candidate with the smallest sum is chosen (fastest_transport()). One that throws, or that delivers other
/// data, is not available. All ranks choose the same. On one rank the first available candidate is chosen without a
/// measurement.
/// @throws InvalidArgument on every rank: no candidate has this name, or name or candidates differ between ranks
/// @throws the exception of the candidate with this name; with "automatic", if none is available, that of the last one
/// Cost of "automatic": about 60 exchanges and 60 gathers per candidate, and their buffers.
template <ExecutionSpace Exec>
[[nodiscard]] std::shared_ptr<Transport<Exec>> choose_transport(
    Exec const& exec, Communicator const& comm,
    std::type_identity_t<std::vector<TransportCandidate<Exec>>> const& candidates,
    std::string_view name = "automatic", std::vector<TransportTime>* times = nullptr) {
  std::string const automatic = "automatic", requested(name);
  std::string names;
  for (auto const& candidate : candidates) names += (names.empty() ? "" : ", ") + candidate.name;
  detail::require_same_text(comm, "name", requested);
  detail::require_same_text(comm, "the list of candidates", names);
  require<InvalidArgument>(!candidates.empty(), "choose_transport: no candidates");
  if (times != nullptr) times->clear();
  if (requested != automatic) {
    auto const found = std::find_if(candidates.begin(), candidates.end(),
                                    [&](auto const& candidate) { return candidate.name == requested; });
    require<InvalidArgument>(found != candidates.end(), [&] {
      return "choose_transport: name is \"" + requested + "\", expected " + automatic + ", " + names;
    });
    return detail::make_on_all_ranks(comm, *found);
  }
  std::shared_ptr<Transport<Exec>> fastest;
  std::exception_ptr failure;
  std::vector<TransportTime> tried;
  comm.collectively([&] { reserve(tried, "einkorn::choose_transport", candidates.size()); });
  for (auto const& candidate : candidates) {
    tried.push_back({.name = candidate.name, .error = {}});
    try {
      auto transport = detail::make_on_all_ranks(comm, candidate);
      detail::measure_transport(exec, comm, *transport, tried.back());
      if (comm.size() == 1 || fastest_transport(tried) == tried.size() - 1) fastest = std::move(transport);
    } catch (std::exception const& error) {
      tried.back().error = error.what();
      failure = std::current_exception();
    }
    if (comm.size() == 1 && fastest != nullptr) break;
  }
  if (times != nullptr) *times = std::move(tried);
  if (fastest == nullptr) std::rethrow_exception(failure);
  return fastest;
}

}  // namespace einkorn
