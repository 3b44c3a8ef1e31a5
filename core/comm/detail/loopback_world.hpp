// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// Thrown in the ranks of run_ranks() that wait for a message after another rank ended with an exception.
struct OtherRankFailed : Error {
  using Error::Error;
};

/// The messages between the ranks of run_ranks() and how the ranks ended.
class LoopbackWorld {
 public:
  using Message = std::vector<std::byte>;

  explicit LoopbackWorld(int size)
      : ranks_(allocate_vector<Rank>("einkorn::run_ranks", static_cast<std::size_t>(size))) {}
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }

  /// Does not wait. Messages with the same sender, receiver and tag arrive in order.
  void send(int from, int to, int tag, Message message) {
    std::lock_guard const lock(mutex_);
    messages_[{from, to, tag}].push(std::move(message));
    changed_.notify_all();
  }
  /// Waits for the message.
  /// @throws OtherRankFailed; Error if every rank has ended or waits
  Message receive(int from, int to, int tag) {
    std::unique_lock lock(mutex_);
    auto& messages = messages_[{from, to, tag}];
    auto& rank = ranks_[static_cast<std::size_t>(to)];
    rank.waits_for = &messages;
    rank.sender = from;
    check_progress();
    changed_.wait(lock, [&] { return !messages.empty() || failed_; });
    rank.waits_for = nullptr;
    if (messages.empty() && is_stuck_) throw Error(reason_);
    if (messages.empty()) throw OtherRankFailed(reason_);
    auto message = std::move(messages.front());
    messages.pop();
    return message;
  }
  void end(int rank) {
    std::lock_guard const lock(mutex_);
    ranks_[static_cast<std::size_t>(rank)].has_ended = true;
    check_progress();
  }
  /// In the handler of the exception that ends the rank.
  void end_with_exception(int rank) {
    std::lock_guard const lock(mutex_);
    auto& ended = ranks_[static_cast<std::size_t>(rank)];
    ended.has_ended = true;
    auto reason = "rank " + std::to_string(rank) + " ended with an exception";
    try {
      throw;
    } catch (OtherRankFailed const&) {
      ended.consequence = std::current_exception();
    } catch (std::exception const& failure) {
      ended.failure = std::current_exception();
      reason += std::string(": ") + failure.what();
    } catch (...) {
      ended.failure = std::current_exception();
    }
    fail(std::move(reason));
  }
  void fail_to_start(int rank) {
    std::lock_guard const lock(mutex_);
    fail("rank " + std::to_string(rank) + " has no thread");
  }

  /// After all ranks have ended: throws the exception of the lowest rank, not one of OtherRankFailed if there
  /// is another, or an Error if a message was not received.
  void rethrow() const {
    for (auto const& rank : ranks_)
      if (rank.failure) std::rethrow_exception(rank.failure);
    for (auto const& rank : ranks_)
      if (rank.consequence) std::rethrow_exception(rank.consequence);
    for (auto const& [key, messages] : messages_)
      require<Error>(messages.empty(), [&, to = key[1], from = key[0]] {
        return "run_ranks: rank " + std::to_string(to) + " ended without receiving a message of rank " +
               std::to_string(from);
      });
  }

 private:
  struct Rank {
    bool has_ended = false;
    std::queue<Message> const* waits_for = nullptr;
    int sender = 0;
    std::exception_ptr failure, consequence;
  };

  void fail(std::string reason) {
    if (!failed_) reason_ = std::move(reason);
    failed_ = true;
    changed_.notify_all();
  }
  /// Fails if a rank waits and no rank runs.
  void check_progress() {
    std::string waiting;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      auto const& rank = ranks_[r];
      if (rank.has_ended) continue;
      if (rank.waits_for == nullptr || !rank.waits_for->empty()) return;
      waiting += "; rank " + std::to_string(r) + " waits for rank " + std::to_string(rank.sender);
    }
    if (waiting.empty() || failed_) return;
    is_stuck_ = true;
    fail("run_ranks: every rank has ended or waits for a message" + waiting);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Rank> ranks_;
  std::map<std::array<int, 3>, std::queue<Message>> messages_;  // sender, receiver, tag
  bool failed_ = false, is_stuck_ = false;
  std::string reason_;
};

/// A rank of run_ranks().
class LoopbackBackend final : public Communicator::Backend {
 public:
  LoopbackBackend(std::shared_ptr<LoopbackWorld> world, int rank) : world_(std::move(world)), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return world_->size(); }
  void all_gather(void const* mine, std::size_t bytes, void* all) override {
    for (int r = 0; r < size(); ++r)
      if (r != rank_) send(r, 0, mine, bytes);
    for (int r = 0; r < size(); ++r) {
      auto* const to = static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes;
      if (r != rank_)
        receive(r, 0, to, bytes);
      else if (bytes > 0)
        std::memcpy(to, mine, bytes);
    }
  }
  std::vector<LoopbackWorld::Message> exchange(std::vector<LoopbackWorld::Message> const& messages) override {
    std::vector<LoopbackWorld::Message> copies, received;
    collectively([&] {
      copies = allocate_vector<LoopbackWorld::Message>("messages between ranks", messages.size());
      received = allocate_vector<LoopbackWorld::Message>("messages between ranks", messages.size());
      for (std::size_t r = 0; r < messages.size(); ++r)
        copies[r] = copied(messages[r].data(), messages[r].size());
    });
    for (int r = 0; r < size(); ++r)
      world_->send(rank_, r, 1, std::move(copies.at(static_cast<std::size_t>(r))));
    for (int r = 0; r < size(); ++r) received[static_cast<std::size_t>(r)] = world_->receive(r, rank_, 1);
    return received;
  }

  void send(int to, int tag, void const* data, std::size_t bytes) const {
    world_->send(rank_, to, tag, copied(data, bytes));
  }
  /// @throws Error if the message has another length
  void receive(int from, int tag, void* data, std::size_t bytes) const {
    auto const message = world_->receive(from, rank_, tag);
    require<Error>(message.size() == bytes, [&] {
      return "rank " + std::to_string(rank_) + ": rank " + std::to_string(from) + " sent " +
             std::to_string(message.size()) + " bytes, expected " + std::to_string(bytes);
    });
    if (bytes > 0) std::memcpy(data, message.data(), bytes);
  }
  /// A tag for messages of one channel: the same on all ranks, which open channels in the same order.
  [[nodiscard]] int next_tag() { return next_tag_++; }

 private:
  static LoopbackWorld::Message copied(void const* data, std::size_t bytes) {
    auto message = allocate_vector<std::byte>("a message between ranks", bytes);
    if (bytes > 0) std::memcpy(message.data(), data, bytes);
    return message;
  }

  std::shared_ptr<LoopbackWorld> world_;
  int rank_, next_tag_ = 2;  // after those of all_gather() and exchange()
};

}  // namespace einkorn::detail
