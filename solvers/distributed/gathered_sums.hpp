// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>

namespace einkorn {

namespace detail {

/// Adds the values of all ranks in rank order and calls step(totals).
template <int count, class Step>
struct AddRanks {
  double const* all;  // [ranks * count]
  int ranks;
  Step step;

  KOKKOS_FUNCTION void operator()(int) const {
    double totals[count] = {};
    for (int rank = 0; rank < ranks; ++rank)
      for (int j = 0; j < count; ++j) totals[j] += all[rank * count + j];
    step(totals);
  }
};

/// The same for any number of values: totals, [count], then step().
template <class Step>
struct AddManyRanks {
  double const* all;  // [ranks * count]
  double* totals;
  std::size_t ranks, count;
  Step step;

  KOKKOS_FUNCTION void operator()(int) const {
    for (std::size_t j = 0; j < count; ++j) {
      double total = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) total += all[rank * count + j];
      totals[j] = total;
    }
    step();
  }
};

}  // namespace detail

/// Sums of doubles over ranks: an all-gather, whose values every rank adds in rank order. All ranks get the
/// same bits, whatever algorithm the transport uses, and therefore take the same decisions.
///
/// Holds the sums of this rank: those of the last pass, and before them at most max_deferred of an earlier
/// pass, which are gathered in the same message.
template <class Exec>
class GatheredSums {
 public:
  static constexpr int max_sums = 8, max_deferred = 3;

  /// Collective. The transport outlives this. @throws OutOfMemory
  GatheredSums(Exec const& exec, Transport<Exec>& transport)
      : transport_(&transport),
        channel_(transport.open_gather(exec, max_deferred + max_sums)),
        ranks_(transport.communicator().size()) {}

  /// [max_sums]
  [[nodiscard]] double* mine() const { return channel_->mine() + max_deferred; }
  /// [count]
  [[nodiscard]] double* deferred(int count) const { return mine() - count; }

  /// step(totals) in one thread: `num_deferred` totals of deferred(num_deferred), then `count` totals of
  /// mine(). Collective; one message.
  template <int count, int num_deferred, class Step>
  void reduce(Exec const& exec, Step const& step) const {
    static_assert(count <= max_sums && num_deferred <= max_deferred);
    channel_->gather(exec, max_deferred - num_deferred, num_deferred + count);
    launch(exec, detail::AddRanks<num_deferred + count, Step>{channel_->all(), ranks_, step});
  }

  /// Memory for `count` sums of one pass, for methods with more than max_sums. Collective unless it exists.
  /// @param count  the same on all ranks
  /// @throws OutOfMemory
  void reserve_many(Exec const& exec, std::size_t count) const {
    if (count <= num_many_) return;
    many_ = transport_->open_gather(exec, static_cast<int>(count));
    num_many_ = count;
  }
  /// [count] of reserve_many(): the sums of this rank.
  [[nodiscard]] double* many() const { return many_->mine(); }
  /// totals <- the sums of many() over all ranks, then step(), in one thread. Collective; one message.
  /// @param count  at most that of reserve_many()
  /// @param totals  [count], in memory of Exec
  template <class Step>
  void reduce_many(Exec const& exec, int count, double* totals, Step const& step) const {
    many_->gather(exec, 0, count);
    launch(exec, detail::AddManyRanks<Step>{many_->all(), totals, static_cast<std::size_t>(ranks_),
                                            static_cast<std::size_t>(count), step});
  }

 private:
  template <class Kernel>
  static void launch(Exec const& exec, Kernel const& kernel) {
    if constexpr (is_gpu<Exec>)
      Kokkos::parallel_for("einkorn::solve[sum over ranks]",
                           light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, 1)), kernel);
    else
      for_each_part(exec, "einkorn::solve[sum over ranks]", 1, kernel);
  }

  Transport<Exec>* transport_;
  std::unique_ptr<GatherChannel<Exec>> channel_;
  mutable std::unique_ptr<GatherChannel<Exec>> many_;
  mutable std::size_t num_many_ = 0;
  int ranks_;
};

}  // namespace einkorn
