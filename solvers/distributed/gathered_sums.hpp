// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

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

  /// Collective. @throws OutOfMemory
  GatheredSums(Exec const& exec, Transport<Exec>& transport)
      : channel_(transport.open_gather(exec, max_deferred + max_sums)),
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
    detail::AddRanks<num_deferred + count, Step> const kernel{channel_->all(), ranks_, step};
    if constexpr (is_gpu<Exec>)
      Kokkos::parallel_for("einkorn::solve[sum over ranks]",
                           light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, 1)), kernel);
    else
      for_each_part(exec, "einkorn::solve[sum over ranks]", 1, kernel);
  }

 private:
  std::unique_ptr<GatherChannel<Exec>> channel_;
  int ranks_;
};

}  // namespace einkorn
