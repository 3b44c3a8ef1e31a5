// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/comm/detail/kernel_gather.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/sum_partials.hpp>

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

/// The end of SumPartials in one kernel with the gather (KernelGather): the totals of this rank are gathered, added in
/// rank order, and step(totals) is called in one thread. Without `gathers`: this rank is the only one.
template <class L, int count, class Step>
struct GatherAndAdd {
  KernelGather gather;
  bool gathers;
  Step step;

  [[nodiscard]] static std::size_t scratch_doubles(int ranks) {
    return static_cast<std::size_t>(count) * (static_cast<std::size_t>(ranks) + 1);
  }
  /// scratch: [scratch_doubles(ranks)]
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Team const& team, double const* sums, double* scratch) const {
    if (!gathers) {
      if (team.team_rank() == 0) step(sums);
      return;
    }
    double* const all = scratch + count;
    if (team.team_rank() == 0)
      for (int j = 0; j < count; ++j) scratch[j] = sums[j];
    team.team_barrier();
    gather.operator()<L>(team, scratch, all, count);
    if (team.team_rank() == 0) AddRanks<count, Step>{all, gather.ranks, step}(0);
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
template <class Exec>
class GatheredSums {
 public:
  /// Collective. The transport outlives this. @throws OutOfMemory
  GatheredSums(Exec const& exec, Transport<Exec>& transport)
      : transport_(&transport),
        channel_(transport.open_gather(exec, SumSpace<typename Exec::device_type>::max_sums)),
        ranks_(transport.communicator().size()) {}

  /// step(totals) in one thread, with the totals over all ranks of the partial sums of two passes. Collective; one
  /// message.
  /// @param deferred, last  sources (detail::BlockSums, detail::BoundaryRows): a pass before the last one (of 0 sums:
  /// none), and the last one
  ///
  /// Launches: 1 where the transport gathers in a kernel or there is one rank; else 2 beside those of gather().
  template <class Deferred, class Last, class Step>
  void reduce(Exec const& exec, SumSpace<typename Exec::device_type> const& space, Deferred const& deferred,
              Last const& last, Step const& step) const {
    static_assert(Last::count <= detail::max_sums_of_pass && Deferred::count <= detail::max_deferred_sums);
    using Source = detail::SumsOfTwoPasses<Deferred, Last>;
    constexpr int count = Source::count;
    Source const source{deferred, last};
    char const* const label = "einkorn::solve[sum over ranks]";
    if constexpr (is_gpu<Exec>) {
      auto const* const gather = channel_->in_kernel();
      if (gather != nullptr || ranks_ == 1) {
        using Finish = detail::GatherAndAdd<Lanes<Exec>, count, Step>;
        Finish const finish{gather != nullptr ? *gather : detail::KernelGather{}, ranks_ > 1, step};
        return detail::launch_sum(exec, label, space, source, finish,
                                  ranks_ > 1 ? Finish::scratch_doubles(ranks_) : 0);
      }
    } else if (ranks_ == 1) {
      return detail::sum_source(exec, label, space, source, step);
    }
    detail::sum_source(exec, "einkorn::solve[sum]", space, source, detail::StoreSums<count>{channel_->mine()});
    channel_->gather(exec, 0, count);
    launch(exec, detail::AddRanks<count, Step>{channel_->all(), ranks_, step});
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
      range_for<int>("einkorn::solve[sum over ranks]", exec, 1, kernel);
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
