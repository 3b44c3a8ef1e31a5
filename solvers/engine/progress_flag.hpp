// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/engine/convergence.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace einkorn::detail {

/// Capacity of the residual ring: more than the residuals in flight; without a callback, where the solve may be persistent,
/// all of them up to 2^20.
inline std::size_t history_size(SolverOptions const& options) {
  std::int64_t const in_flight = std::int64_t(options.run_ahead) + 64;
  std::int64_t const largest = options.callback ? 1 << 15 : 1 << 20;
  return static_cast<std::size_t>(std::max(in_flight, std::min(options.max_iterations, largest - 1) + 1));
}

/// Publishes the progress of a solve to the host: one 64-bit word that the device writes and the host reads,
/// without a fence or a copy. History: |r| after each iteration, written before the word, in a ring of
/// capacity() entries; the host reads an entry before the device is capacity() iterations further.
template <class Exec>
class ProgressFlag {
 public:
  using Words = Kokkos::View<std::uint64_t*, PinnedSpace<Exec>>;
  using History = Kokkos::View<double*, PinnedSpace<Exec>>;

  /// Device-side handle.
  struct Publisher {
    std::uint64_t* word = nullptr;  // nullptr: publish() does nothing
    double* history = nullptr;
    std::size_t capacity = 0;

    KOKKOS_FUNCTION void publish(Progress const& progress) const {
      if (word == nullptr) return;
      auto const at = static_cast<std::size_t>(progress.iteration);
      if (capacity > 0) {
        history[at % capacity] = Kokkos::sqrt(progress.residual2);
        desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
      }
      *static_cast<std::uint64_t volatile*>(word) = progress.word();
    }
  };

  ProgressFlag() = default;
  explicit ProgressFlag(std::size_t history)
      : words_(allocate_zeros<decltype(words_)>("einkorn::ProgressFlag::words", 8)),
        history_(allocate_zeros<decltype(history_)>("einkorn::ProgressFlag::history", history)) {}

  [[nodiscard]] Publisher publisher(bool with_history) const {
    return {words_.data(), history_.data(), with_history ? capacity() : std::size_t(0)};
  }
  [[nodiscard]] std::size_t bytes() const {
    return words_.size() * sizeof(std::uint64_t) + history_.size() * sizeof(double);
  }
  [[nodiscard]] std::size_t capacity() const { return history_.extent(0); }
  /// One of the last capacity() residuals.
  [[nodiscard]] double residual(std::int64_t iteration) const {
    return history_(static_cast<std::size_t>(iteration) % capacity());
  }
  /// Appends to `history`, which holds the residuals of iterations 0, 1, ..., those up to `iteration`. Its last
  /// entry is read again: a true residual may have replaced it.
  void read_history(std::int64_t iteration, std::vector<double>& history) const {
    if (!history.empty()) history.pop_back();
    auto const size = static_cast<std::size_t>(iteration) + 1;
    if (size > history.capacity())
      reserve(history, "einkorn::SolveReport::history", std::max(size, 2 * history.capacity()));
    for (auto i = static_cast<std::int64_t>(history.size()); i <= iteration; ++i)
      history.push_back(residual(i));
  }

  void clear() const { *static_cast<std::uint64_t volatile*>(words_.data()) = 0; }
  [[nodiscard]] ProgressWord latest() const {
    ProgressWord const word{*static_cast<std::uint64_t const volatile*>(words_.data())};
    std::atomic_thread_fence(std::memory_order_acquire);
    return word;
  }
  /// Polls until is_new(word). After one second a fence, which throws if the device has failed.
  template <class Condition>
  ProgressWord wait(Exec const& exec, Condition const& is_new) const {
    Kokkos::Timer timer;
    for (std::uint64_t polls = 1;; ++polls) {
      auto const word = latest();
      if (word.is_published() && is_new(word)) return word;
      if (polls % 64 == 0) std::this_thread::yield();
      if (polls % 65536 == 0 && timer.seconds() > 1.0) {
        fence(exec, "einkorn::solve: no progress from the device for a second");
        timer.reset();
      }
    }
  }

 private:
  Words words_;
  History history_;
};

}  // namespace einkorn::detail
