// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

/// A part of a message: a text or a whole number.
class MessagePart {
 public:
  MessagePart(std::string_view text) : text_(text) {}
  template <std::unsigned_integral Number>
  MessagePart(Number number) : magnitude_(number), is_number_(true) {}
  template <std::signed_integral Number>
  MessagePart(Number number)
      : magnitude_(number < 0 ? std::uintmax_t(0) - static_cast<std::uintmax_t>(number)
                              : static_cast<std::uintmax_t>(number)),
        is_number_(true),
        is_negative_(number < 0) {}

  void append_to(std::string& message) const {
    if (is_negative_) message += '-';
    if (is_number_)
      message += std::to_string(magnitude_);
    else
      message += text_;
  }

 private:
  std::string_view text_;
  std::uintmax_t magnitude_ = 0;
  bool is_number_ = false, is_negative_ = false;
};

[[gnu::cold, gnu::noinline]] inline std::string joined_parts(std::initializer_list<MessagePart> parts) {
  std::string message;
  for (auto const& part : parts) part.append_to(message);
  return message;
}

/// The texts and numbers one after another. One function for all messages: sums of std::string would be a tenth of the code
/// of a program with every format.
template <class... Parts>
std::string joined(Parts const&... parts) {
  return joined_parts({MessagePart(parts)...});
}

}  // namespace detail

/// Base of all exceptions of Einkorn. Thrown on the host, before any kernel runs and before any argument
/// changes. A solver that does not converge reports it and does not throw.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The extents of two arguments do not match.
struct DimensionMismatch : Error {
  using Error::Error;
};

/// An invalid argument other than a mismatch of extents: overlapping x and y, a negative size, an unknown
/// option.
struct InvalidArgument : Error {
  using Error::Error;
};

/// The arrays of a matrix violate its invariants, for example decreasing offsets or a column out of range.
struct InvalidStructure : Error {
  using Error::Error;
};

/// A file violates its format. line() counts from 1; 0 if unknown.
struct ParseError : Error {
  ParseError(std::string const& where, std::size_t line, std::string const& reason)
      : Error(line ? detail::joined(where, ":", line, ": ", reason) : detail::joined(where, ": ", reason)),
        line_(line) {}
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  std::size_t line_;
};

/// A file cannot be opened, read or written. The message has the reason of the system.
struct IoError : Error {
  using Error::Error;
};

/// A count or value does not fit its type. The message names a type that fits.
struct OverflowError : Error {
  using Error::Error;
};

/// A padded format would store more slots than the caller allows. The message has both numbers.
struct FillLimit : Error {
  using Error::Error;
};

/// An allocation failed or would exceed a limit of the caller. The message has the requested bytes.
struct OutOfMemory : Error {
  using Error::Error;
};

/// A plan was used with a matrix of another structure than the one it was made for.
struct StalePlan : Error {
  using Error::Error;
};

/// Whether a conversion or plan validates its input, at a cost of O(nnz). off: the input must be valid;
/// otherwise the result is undefined.
enum class Checks { on, off };

namespace detail {

/// throw Kind(message), compiled once per kind.
template <class Kind>
[[noreturn, gnu::cold, gnu::noinline]] void throw_error(std::string const& message) {
  throw Kind(message);
}

}  // namespace detail

/// Throws Kind with the message unless the condition holds.
template <std::derived_from<Error> Kind>
constexpr void require(bool condition, char const* message) {
  if (!condition) [[unlikely]]
    detail::throw_error<Kind>(message);
}

/// As above. message() is called only if the condition fails.
template <std::derived_from<Error> Kind, std::invocable Message>
constexpr void require(bool condition, Message&& message) {
  if (!condition) [[unlikely]]
    detail::throw_error<Kind>(std::forward<Message>(message)());
}

namespace detail {

inline void require_enumerator(long long number, long long largest, char const* what) {
  require<InvalidArgument>(0 <= number && number <= largest, [&] {
    return detail::joined(what, " is ", number, ", expected an enumerator: 0 to ", largest);
  });
}

/// Throws InvalidArgument unless the value is an enumerator; the enumerators are 0 to `last`.
/// @param what operation and option for the message, "spmv: op"
template <class Enum>
requires std::is_enum_v<Enum>
void require_enumerator(Enum value, Enum last, char const* what) {
  require_enumerator(static_cast<long long>(value), static_cast<long long>(last), what);
}

/// Throws DimensionMismatch, which names the operation and the matrix, unless rows == cols.
template <class Size>
void require_square(char const* operation, Size rows, Size cols, char const* matrix = "A") {
  require<DimensionMismatch>(rows == cols, [&] {
    return detail::joined(operation, ": ", matrix, " is ", rows, " x ", cols, ", expected a square matrix");
  });
}

/// Detects concurrent calls that use one workspace. Copies share the state, as they share the workspace.
///
/// Active only without NDEBUG, at no cost otherwise. The layout of the class is the same with and without
/// NDEBUG, so that objects can cross translation units. Detects calls on the host only, not kernels of an
/// earlier call that still run on another execution space instance.
class OneCallAtATime {
 public:
  /// Inactive.
  OneCallAtATime() = default;
  /// Active unless NDEBUG is defined.
  static OneCallAtATime checked() {
    OneCallAtATime result;
#ifndef NDEBUG
    result.busy_ = std::make_shared<std::atomic<bool>>(false);
#endif
    return result;
  }

  /// Marks a call as active for its lifetime.
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

  /// @param owner for the message: "plan" or "workspace"
  /// @throws InvalidArgument if another call is active
  [[nodiscard]] Call begin([[maybe_unused]] char const* operation, [[maybe_unused]] char const* owner) const {
#ifndef NDEBUG
    require<InvalidArgument>(!busy_ || !busy_->exchange(true), [&] {
      return detail::joined(operation, ": another call with this ", owner,
                            " or a copy of it is still running; copies share memory that only one call at a "
                            "time may use: make a ",
                            owner, " for each thread");
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

/// The product of the sizes, or the maximum of size_t on overflow.
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

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_out_of_memory(char const* purpose, std::size_t bytes,
                                                                       char const* reason) {
  throw OutOfMemory(detail::joined("no memory for ", purpose, ": ", bytes, " bytes requested (", reason, ")"));
}

/// Calls body(); translates std::bad_alloc and std::length_error to OutOfMemory with the purpose and the bytes.
template <class Body>
decltype(auto) or_out_of_memory(char const* purpose, std::size_t bytes, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (std::bad_alloc const& failure) {
    throw_out_of_memory(purpose, bytes, failure.what());
  } catch (std::length_error const& failure) {  // exceeds max_size() of a vector
    throw_out_of_memory(purpose, bytes, failure.what());
  }
}

/// A vector of `size` copies of `value`.
/// @throws OutOfMemory with the requested bytes
template <class T>
std::vector<T> allocate_vector(char const* purpose, std::size_t size, T const& value = T()) {
  return or_out_of_memory(purpose, saturated_product(size, sizeof(T)),
                          [&] { return std::vector<T>(size, value); });
}

/// list.reserve(size).
/// @throws OutOfMemory with the requested bytes
template <class T>
void reserve(std::vector<T>& list, char const* purpose, std::size_t size) {
  or_out_of_memory(purpose, saturated_product(size, sizeof(T)), [&] { list.reserve(size); });
}

}  // namespace einkorn
