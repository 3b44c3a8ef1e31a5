// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>

#include <cstddef>
#include <exception>
#include <type_traits>
#include <vector>

namespace einkorn::tools {

/// Thrown on the other ranks when rank 0 throws in on_rank_0(). Rank 0 reports the error.
struct FailedOnRank0 : std::exception {
  [[nodiscard]] char const* what() const noexcept override { return "an error of rank 0"; }
};

/// body() on rank 0; its result on all ranks. Collective. An exception of body() is thrown on rank 0 as it is,
/// so that message and exit code are those of one process; the other ranks throw FailedOnRank0.
template <class Body>
auto on_rank_0(Communicator const& comm, Body const& body) {
  using Result = std::invoke_result_t<Body>;
  static_assert(std::is_trivially_copyable_v<Result>);
  struct Message {
    Result result{};
    bool failed = false;
  };
  Message mine;
  std::exception_ptr failure;
  if (comm.rank() == 0) {
    try {
      mine.result = body();
    } catch (...) {
      failure = std::current_exception();
      mine.failed = true;
    }
  }
  auto const of_rank_0 = comm.all_gather(mine)[0];
  if (failure) std::rethrow_exception(failure);
  if (of_rank_0.failed) throw FailedOnRank0();
  return of_rank_0.result;
}

/// Sends parts[r] of rank 0 to rank r. Returns the part of this rank. Collective.
/// @param parts  [ranks] on rank 0; not read on the others
template <class T>
std::vector<T> scatter_from_rank_0(Communicator const& comm, std::vector<std::vector<T>> const& parts) {
  auto const none = std::vector<std::vector<T>>(static_cast<std::size_t>(comm.size()));
  return comm.exchange(comm.rank() == 0 ? parts : none)[0];
}

/// The parts of all ranks on rank 0; empty parts on the others. Collective.
template <class T>
std::vector<std::vector<T>> gather_on_rank_0(Communicator const& comm, std::vector<T> const& part) {
  std::vector<std::vector<T>> messages(static_cast<std::size_t>(comm.size()));
  messages[0] = part;
  return comm.exchange(messages);
}

}  // namespace einkorn::tools
