// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace einkorn {

namespace detail {

/// @throws Error with the message of MPI unless code is MPI_SUCCESS
inline void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  bool const has_text = MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS;
  throw Error(std::string(call) + ": " + (has_text ? text.data() : "error " + std::to_string(code)));
}

/// Calls body(offset, count) for consecutive pieces of at most max_piece bytes.
template <class Body>
void for_each_piece(std::size_t bytes, int max_piece, Body const& body) {
  for (std::size_t at = 0; at < bytes;) {
    auto const count = std::min(bytes - at, static_cast<std::size_t>(max_piece));
    body(at, static_cast<int>(count));
    at += count;
  }
}
inline std::size_t num_pieces(std::size_t bytes, int max_piece) {
  auto const piece = static_cast<std::size_t>(max_piece);
  return bytes / piece + (bytes % piece != 0 ? 1 : 0);
}

inline bool is_mpi_finalized() {
  int finalized = 0;
  return MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0;
}

/// Requests that the destructor frees unless MPI is finalised. Receives that are active are cancelled first,
/// because their buffers end as well.
class MpiRequests {
 public:
  MpiRequests() = default;
  MpiRequests(MpiRequests const&) = delete;
  MpiRequests& operator=(MpiRequests const&) = delete;
  ~MpiRequests() {
    if (list_.empty() || is_mpi_finalized()) return;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_[i] == MPI_REQUEST_NULL) continue;
      if (is_active_ && i < num_receives_ && MPI_Cancel(&list_[i]) == MPI_SUCCESS)
        MPI_Wait(&list_[i], MPI_STATUS_IGNORE);
      if (list_[i] != MPI_REQUEST_NULL) MPI_Request_free(&list_[i]);
    }
  }
  /// @param receives  the first `receives` requests are receives
  void allocate(std::size_t receives, std::size_t sends) {
    list_ = allocate_vector<MPI_Request>("MPI requests", receives + sends, MPI_REQUEST_NULL);
    num_receives_ = receives;
  }
  [[nodiscard]] MPI_Request& operator[](std::size_t i) { return list_[i]; }
  /// The requests are active: begun one by one, or by start_all().
  void set_active() { is_active_ = true; }
  /// Starts persistent requests, receives first.
  void start_all() {
    is_active_ = true;
    start(0, num_receives_);
    start(num_receives_, list_.size() - num_receives_);
  }
  void wait_all() {
    is_active_ = false;
    check_mpi(MPI_Waitall(static_cast<int>(list_.size()), list_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  void start(std::size_t first, std::size_t count) {
    if (count > 0) check_mpi(MPI_Startall(static_cast<int>(count), list_.data() + first), "MPI_Startall");
  }

  std::vector<MPI_Request> list_;
  std::size_t num_receives_ = 0;
  bool is_active_ = false;
};

/// A duplicate of an MPI communicator, freed by the destructor unless MPI is finalised.
class MpiBackend final : public Communicator::Backend {
 public:
  MpiBackend(MPI_Comm comm, int max_message_bytes) : max_message_bytes_(max_message_bytes) {
    check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  MpiBackend(MpiBackend const&) = delete;
  MpiBackend& operator=(MpiBackend const&) = delete;
  ~MpiBackend() override {
    if (comm_ != MPI_COMM_NULL && !is_mpi_finalized()) MPI_Comm_free(&comm_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool is_usable() const override { return !is_mpi_finalized(); }
  [[nodiscard]] MPI_Comm handle() const { return comm_; }
  [[nodiscard]] int max_message_bytes() const { return max_message_bytes_; }
  /// A tag for the messages of one channel: the same on all ranks, which open channels in the same order. MPI
  /// guarantees tags up to 32767; after them the first ones are used again.
  [[nodiscard]] int next_tag() { return next_tag_ = next_tag_ % 32767 + 1; }

  void all_gather(void const* mine, std::size_t bytes, void* all) override {
    require<OverflowError>(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()), [&] {
      return "Communicator::all_gather: " + std::to_string(bytes) + " bytes per rank, expected less than 2^31";
    });
    auto const count = static_cast<int>(bytes);
    check_mpi(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
  }

  std::vector<std::vector<std::byte>> exchange(std::vector<std::vector<std::byte>> const& messages) override {
    auto const ranks = static_cast<std::size_t>(size_), self = static_cast<std::size_t>(rank_);
    char const* const purpose = "einkorn::Communicator: messages between ranks";
    std::vector<std::uint64_t> sent_bytes, received_bytes;
    std::vector<std::vector<std::byte>> received;
    collectively([&] {
      sent_bytes = allocate_vector<std::uint64_t>(purpose, ranks);
      received_bytes = allocate_vector<std::uint64_t>(purpose, ranks);
      received = allocate_vector<std::vector<std::byte>>(purpose, ranks);
    });
    for (std::size_t r = 0; r < ranks; ++r) sent_bytes[r] = messages.at(r).size();
    check_mpi(MPI_Alltoall(sent_bytes.data(), 1, MPI_UINT64_T, received_bytes.data(), 1, MPI_UINT64_T, comm_),
              "MPI_Alltoall");
    MpiRequests requests;  // ends before the messages
    collectively([&] {
      std::size_t receives = 0, sends = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        received[r] = allocate_vector<std::byte>(purpose, received_bytes[r]);
        if (r == self) continue;
        receives += num_pieces(received_bytes[r], max_message_bytes_);
        sends += num_pieces(sent_bytes[r], max_message_bytes_);
      }
      requests.allocate(receives, sends);
    });
    requests.set_active();
    std::size_t next = 0;
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      auto& message = received[static_cast<std::size_t>(r)];
      for_each_piece(message.size(), max_message_bytes_, [&](std::size_t at, int count) {
        check_mpi(MPI_Irecv(message.data() + at, count, MPI_BYTE, r, 0, comm_, &requests[next++]), "MPI_Irecv");
      });
    }
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      auto const& message = messages[static_cast<std::size_t>(r)];
      for_each_piece(message.size(), max_message_bytes_, [&](std::size_t at, int count) {
        check_mpi(MPI_Isend(message.data() + at, count, MPI_BYTE, r, 0, comm_, &requests[next++]), "MPI_Isend");
      });
    }
    std::copy(messages[self].begin(), messages[self].end(), received[self].begin());
    requests.wait_all();
    return received;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, max_message_bytes_, next_tag_ = 0;  // tag 0: exchange()
};

inline MpiBackend& mpi_backend(Communicator const& comm) {
  auto* const backend = dynamic_cast<MpiBackend*>(&comm.backend());
  require<InvalidArgument>(backend != nullptr,
                           "the communicator is not one of MPI: expected one of make_mpi_communicator()");
  return *backend;
}

}  // namespace detail

/// The ranks of an MPI communicator. Collective over `comm`.
///
/// Uses a duplicate of `comm` with MPI_ERRORS_RETURN: errors of MPI are thrown as Error with the text of MPI.
/// The last copy of the communicator and of the transports made with it frees the duplicate, which is
/// collective, unless MPI is finalised.
/// @param max_message_bytes  longer messages are split
/// @pre With less than MPI_THREAD_SERIALIZED, the communicator is used by the thread that initialised MPI.
/// @throws InvalidArgument if MPI is not initialised, is finalised, or was initialised with less than
/// MPI_THREAD_FUNNELED; if max_message_bytes < 1
[[nodiscard]] inline Communicator make_mpi_communicator(MPI_Comm comm = MPI_COMM_WORLD,
                                                        int max_message_bytes = 1 << 30) {
  int initialized = 0, level = MPI_THREAD_SINGLE;
  detail::check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  require<InvalidArgument>(initialized != 0,
                           "make_mpi_communicator: MPI is not initialised (call MPI_Init_thread first)");
  require<InvalidArgument>(!detail::is_mpi_finalized(), "make_mpi_communicator: MPI is already finalised");
  detail::check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  require<InvalidArgument>(
      level >= MPI_THREAD_FUNNELED,
      "make_mpi_communicator: MPI was initialised for MPI_THREAD_SINGLE, expected at least "
      "MPI_THREAD_FUNNELED (call MPI_Init_thread)");
  require<InvalidArgument>(comm != MPI_COMM_NULL, "make_mpi_communicator: comm is MPI_COMM_NULL");
  require<InvalidArgument>(max_message_bytes >= 1, [&] {
    return "make_mpi_communicator: max_message_bytes is " + std::to_string(max_message_bytes) +
           ", expected at least 1";
  });
  return Communicator(std::make_shared<detail::MpiBackend>(comm, max_message_bytes));
}

/// The duplicate of the MPI communicator that `comm` uses. Valid while `comm` exists.
/// @throws InvalidArgument if `comm` is not of make_mpi_communicator()
[[nodiscard]] inline MPI_Comm mpi_handle(Communicator const& comm) {
  return detail::mpi_backend(comm).handle();
}

}  // namespace einkorn
