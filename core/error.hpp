// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// Base of everything that Einkorn throws. Thrown on the host, before any kernel runs and before anything of
/// the caller's is changed. Not converging is no error (see solvers).
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The extents of two arguments do not fit together.
struct DimensionMismatch : Error {
  using Error::Error;
};

/// An argument that no shape explains: overlapping x and y, a negative size, an unknown option.
struct InvalidArgument : Error {
  using Error::Error;
};

/// The arrays of a matrix contradict its invariants (an offset that decreases, a column out of range).
struct InvalidStructure : Error {
  using Error::Error;
};

/// A file is not what its format demands. line() counts from 1; 0 where no line can be named.
struct ParseError : Error {
  ParseError(std::string const& where, std::size_t line, std::string const& reason)
      : Error(where + (line ? ":" + std::to_string(line) : std::string()) + ": " + reason), line_(line) {}
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  std::size_t line_;
};

/// A file cannot be opened, read or written; the message carries the system's reason.
struct IoError : Error {
  using Error::Error;
};

/// A count does not fit its index type; the message names a type that would do.
struct OverflowError : Error {
  using Error::Error;
};

/// A padded format would store more than the caller allows; the message has the figure.
struct FillLimit : Error {
  using Error::Error;
};

/// An allocation failed or would pass a limit that the caller set; the message has the bytes asked for.
struct OutOfMemory : Error {
  using Error::Error;
};

/// A plan was used with a matrix whose structure is not the one it was made for.
struct StalePlan : Error {
  using Error::Error;
};

/// Throws Kind with the message unless the condition holds.
template <std::derived_from<Error> Kind>
constexpr void require(bool condition, char const* message) {
  if (!condition) [[unlikely]]
    throw Kind(message);
}

/// As above; the message is built by a callable, which runs only when the condition fails.
template <std::derived_from<Error> Kind, std::invocable Message>
constexpr void require(bool condition, Message&& message) {
  if (!condition) [[unlikely]]
    throw Kind(std::forward<Message>(message)());
}

namespace detail {

/// Refuses a value of an option that no enumerator has. The enumerators are 0 to `last`. what: "spmv: op".
template <class Enum>
requires std::is_enum_v<Enum>
void require_enumerator(Enum value, Enum last, char const* what) {
  auto const number = static_cast<long long>(value), largest = static_cast<long long>(last);
  require<InvalidArgument>(0 <= number && number <= largest, [&] {
    return std::string(what) + " is " + std::to_string(number) + ", expected an enumerator: 0 to " +
           std::to_string(largest);
  });
}

/// Finds two calls that use one workspace at the same time. Copies share it, as they share the workspace.
///
/// Only where NDEBUG is not defined; elsewhere it holds nothing and costs nothing. Its layout is the same in
/// both, so that an object made in one source file may be used in another. Sees calls on the host only: kernels
/// that an earlier call has launched and that still run on another execution space instance are not noticed.
class OneCallAtATime {
 public:
  /// Checks nothing.
  OneCallAtATime() = default;
  /// Checks, unless NDEBUG is defined.
  static OneCallAtATime checked() {
    OneCallAtATime made;
#ifndef NDEBUG
    made.busy_ = std::make_shared<std::atomic<bool>>(false);
#endif
    return made;
  }

  /// A call, until the end of its scope.
  class Call {
   public:
    explicit Call(std::shared_ptr<std::atomic<bool>> busy) : busy_(std::move(busy)) {}
    Call(Call const&) = delete;
    Call& operator=(Call const&) = delete;
    ~Call() {
      if (busy_) busy_->store(false);
    }

   private:
    std::shared_ptr<std::atomic<bool>> busy_;
  };

  /// owner: "plan", "workspace". Throws InvalidArgument where another call has not ended.
  [[nodiscard]] Call begin([[maybe_unused]] char const* operation, [[maybe_unused]] char const* owner) const {
#ifndef NDEBUG
    require<InvalidArgument>(!busy_ || !busy_->exchange(true), [&] {
      return std::string(operation) + ": another call with this " + owner +
             " or a copy of it has not ended; they share memory that serves one call at a time: make a " +
             owner + " for each thread";
    });
    return Call(busy_);
#else
    return Call(nullptr);
#endif
  }

 private:
  std::shared_ptr<std::atomic<bool>> busy_;
};

}  // namespace detail

/// The product of sizes; the largest size_t where it does not fit.
template <class... Sizes>
constexpr std::size_t saturated_product(Sizes... sizes) {
  std::size_t product = 1;
  bool is_zero = false, fits = true;
  for (std::size_t const size : {static_cast<std::size_t>(sizes)...}) {
    is_zero = is_zero || size == 0;
    if (fits && size != 0) {
      fits = product <= std::numeric_limits<std::size_t>::max() / size;
      product = fits ? product * size : std::numeric_limits<std::size_t>::max();
    }
  }
  return is_zero ? 0 : product;
}

[[noreturn]] inline void throw_out_of_memory(std::string const& purpose, std::size_t bytes,
                                             char const* reason) {
  throw OutOfMemory("no memory for " + purpose + ": " + std::to_string(bytes) + " bytes asked for (" + reason +
                    ")");
}

/// body(); a failed allocation of the standard library in it becomes OutOfMemory with the purpose and the
/// bytes.
template <class Body>
decltype(auto) or_out_of_memory(std::string const& purpose, std::size_t bytes, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (std::bad_alloc const& failure) {
    throw_out_of_memory(purpose, bytes, failure.what());
  } catch (std::length_error const& failure) {  // more than a vector may hold
    throw_out_of_memory(purpose, bytes, failure.what());
  }
}

/// A vector of `size` values. Throws OutOfMemory, which says how many bytes were asked for.
template <class T>
std::vector<T> allocate_vector(std::string const& purpose, std::size_t size, T const& value = T()) {
  return or_out_of_memory(purpose, saturated_product(size, sizeof(T)),
                          [&] { return std::vector<T>(size, value); });
}

/// Room in `list` for `size` values, all in all. Throws OutOfMemory, which says how many bytes were asked for.
template <class T>
void reserve(std::vector<T>& list, std::string const& purpose, std::size_t size) {
  or_out_of_memory(purpose, saturated_product(size, sizeof(T)), [&] { list.reserve(size); });
}

}  // namespace einkorn
