// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

/// The exception of one rank, in a form that other ranks can throw.
struct RankFailure {
  int type = 0;  // 0: none, else 1 + index of its type in ErrorTypes
  std::array<char, 1020> message{};

  /// Of the exception being handled.
  static RankFailure current();
  /// Throws an exception of the same type. rank: -1, or is named in the message.
  [[noreturn]] void rethrow(int rank) const;

 private:
  template <class... Types>
  struct List {};
  // ParseError has another constructor: other ranks throw it as Error.
  using ErrorTypes = List<Error, DimensionMismatch, InvalidArgument, InvalidStructure, IoError, OverflowError,
                          FillLimit, OutOfMemory, StalePlan>;

  // Arrays instead of folds over the comma operator, which clang++ refuses as nvcc writes them.
  template <class... Types>
  static int index_of(std::exception const& failure, List<Types...>) {
    bool const matches[] = {dynamic_cast<Types const*>(&failure) != nullptr...};
    int found = 0;  // the last match: Error is the base of the others
    for (int i = 0; i < static_cast<int>(sizeof...(Types)); ++i)
      if (matches[i]) found = i;
    return found;
  }
  template <class Type>
  [[noreturn]] static void throw_as(std::string const& what) {
    throw Type(what);
  }
  template <class... Types>
  static void throw_type(int index, std::string const& what, List<Types...>) {
    void (*const throw_each[])(std::string const&) = {&RankFailure::throw_as<Types>...};
    if (index >= 0 && index < static_cast<int>(sizeof...(Types))) throw_each[index](what);
  }
};

}  // namespace detail

/// The ranks of a distributed computation: what set-up code needs of MPI. Copies share the backend.
///
/// Obtained from make_mpi_communicator() (core/comm/mpi_communicator.hpp) or run_ranks()
/// (core/comm/loopback.hpp). All functions except rank(), size() and is_usable() are collective: every rank calls them, in
/// the same order. Not for use by two host threads of a rank at a time.
class Communicator {
 public:
  /// Implemented by MPI and by the loopback. All functions are collective and blocking.
  struct Backend {
    virtual ~Backend() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// all: [size() * bytes], in rank order.
    virtual void all_gather(void const* mine, std::size_t bytes, void* all) = 0;
    /// Sends messages[r] to rank r. Returns the messages received, by rank.
    /// @throws OutOfMemory: the same on all ranks
    virtual std::vector<std::vector<std::byte>> exchange(
        std::vector<std::vector<std::byte>> const& messages) = 0;
    /// False after the library of the messages has ended.
    [[nodiscard]] virtual bool is_usable() const { return true; }
    /// Communicator::collectively().
    template <class Body>
    auto collectively(Body&& body) -> std::invoke_result_t<Body>;

   private:
    template <class T>
    [[nodiscard]] std::vector<T> gather_values(T const& mine) {
      auto all = allocate_vector<T>("einkorn::Communicator", static_cast<std::size_t>(size()));
      all_gather(&mine, sizeof(T), all.data());
      return all;
    }
    void throw_if_any(detail::RankFailure const& failure);

    friend class Communicator;
  };

  explicit Communicator(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  [[nodiscard]] int rank() const { return backend_->rank(); }
  [[nodiscard]] int size() const { return backend_->size(); }
  [[nodiscard]] Backend& backend() const { return *backend_; }
  /// False after MPI_Finalize(): no collective function may be called.
  [[nodiscard]] bool is_usable() const { return backend_->is_usable(); }

  /// The values of all ranks, in rank order.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> all_gather(T const& mine) const {
    return backend_->gather_values(mine);
  }
  /// Sends messages[r] to rank r. Returns the messages received, by rank.
  /// @param messages  [size()]
  /// @throws DimensionMismatch, OutOfMemory: the same on all ranks; names the lowest rank with an error
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(std::vector<std::vector<T>> const& messages) const {
    char const* const purpose = "einkorn::Communicator::exchange";
    auto const bytes = collectively([&] {
      require<DimensionMismatch>(messages.size() == static_cast<std::size_t>(size()), [&] {
        return "Communicator::exchange: " + std::to_string(messages.size()) + " messages, expected " +
               std::to_string(size()) + ", one per rank";
      });
      auto list = allocate_vector<std::vector<std::byte>>(purpose, messages.size());
      for (std::size_t r = 0; r < messages.size(); ++r) {
        list[r] = allocate_vector<std::byte>(purpose, messages[r].size() * sizeof(T));
        if (!messages[r].empty()) std::memcpy(list[r].data(), messages[r].data(), list[r].size());
      }
      return list;
    });
    auto const received = backend_->exchange(bytes);
    return collectively([&] {
      auto result = allocate_vector<std::vector<T>>(purpose, received.size());
      for (std::size_t r = 0; r < received.size(); ++r) {
        result[r] = allocate_vector<T>(purpose, received[r].size() / sizeof(T));
        if (!result[r].empty()) std::memcpy(result[r].data(), received[r].data(), received[r].size());
      }
      return result;
    });
  }
  /// Calls body() and returns its result. If it throws on any rank, every rank throws the exception of the
  /// lowest of these ranks, which the message names: "rank 2: ...".
  /// @pre body() calls no collective function: a rank that throws would leave the others waiting.
  /// Cost: one all-gather of an int.
  template <class Body>
  auto collectively(Body&& body) const -> std::invoke_result_t<Body> {
    return backend_->collectively(std::forward<Body>(body));
  }

 private:
  std::shared_ptr<Backend> backend_;
};

template <class Body>
auto Communicator::Backend::collectively(Body&& body) -> std::invoke_result_t<Body> {
  using Result = std::invoke_result_t<Body>;
  if (size() == 1) return std::forward<Body>(body)();
  detail::RankFailure failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      std::forward<Body>(body)();
    } catch (...) {
      failure = detail::RankFailure::current();
    }
    throw_if_any(failure);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(std::forward<Body>(body)());
    } catch (...) {
      failure = detail::RankFailure::current();
    }
    throw_if_any(failure);
    return std::move(*result);
  }
}

inline void Communicator::Backend::throw_if_any(detail::RankFailure const& failure) {
  auto const types = gather_values(failure.type);
  auto const failed = std::find_if(types.begin(), types.end(), [](int type) { return type != 0; });
  if (failed == types.end()) return;
  auto const rank = static_cast<std::size_t>(failed - types.begin());
  gather_values(failure)[rank].rethrow(static_cast<int>(rank));
}

namespace detail {

inline RankFailure RankFailure::current() {
  RankFailure failure;
  auto const set = [&](int index, char const* what) {
    failure.type = 1 + index;
    std::strncpy(failure.message.data(), what, failure.message.size() - 1);
  };
  try {
    throw;
  } catch (std::bad_alloc const&) {
    set(index_of(OutOfMemory(""), ErrorTypes()), "no memory (std::bad_alloc)");
  } catch (std::exception const& error) {
    set(index_of(error, ErrorTypes()), error.what());
  } catch (...) {
    set(0, "an exception that is not derived from std::exception");
  }
  return failure;
}

inline void RankFailure::rethrow(int rank) const {
  std::string const what = (rank < 0 ? std::string() : "rank " + std::to_string(rank) + ": ") + message.data();
  throw_type(type - 1, what, ErrorTypes());
  throw Error(what);
}

}  // namespace detail

}  // namespace einkorn
