// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/measure_exchange.hpp"
#include "solve/types.hpp"

#include <einkorn/core/comm/loopback.hpp>
#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

namespace einkorn::tools {
namespace {

/// Of the rank that the thread executes; only the classes of this test advance it.
thread_local double simulated_time = 0;

class SimulatedTimer {
 public:
  [[nodiscard]] double seconds() const { return simulated_time - begin_; }

 private:
  double begin_ = simulated_time;
};

enum class Overlap { whole, none };

/// A halo exchange that ends 10 s after start(), whose start() does or does not wait for its end.
class SlowHalo final : public HaloChannel<Exec> {
 public:
  SlowHalo(std::unique_ptr<HaloChannel<Exec>> halo, Overlap overlap)
      : halo_(std::move(halo)), overlap_(overlap) {}
  [[nodiscard]] void* send_buffer() const override { return halo_->send_buffer(); }
  [[nodiscard]] void const* ghost_buffer() const override { return halo_->ghost_buffer(); }
  void start(Exec const& exec) override {
    end_ = simulated_time + 10;
    halo_->start(exec);
    if (overlap_ == Overlap::none) simulated_time = end_;
  }
  void finish(Exec const& exec) override {
    simulated_time = std::max(simulated_time, end_);
    halo_->finish(exec);
  }

 private:
  std::unique_ptr<HaloChannel<Exec>> halo_;
  Overlap overlap_;
  double end_ = 0;
};

class SlowTransport final : public Transport<Exec> {
 public:
  SlowTransport(Communicator const& comm, Overlap overlap)
      : Transport<Exec>(comm), transport_(comm), overlap_(overlap) {}
  [[nodiscard]] std::string name() const override { return "slow"; }
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    return std::make_unique<SlowHalo>(transport_.open_halo(exec, messages, entry_bytes), overlap_);
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    return transport_.open_gather(exec, max_count);
  }

 private:
  LoopbackTransport<Exec> transport_;
  Overlap overlap_;
};

/// A product of 20 s.
template <class Operator>
struct SlowOperator {
  Operator op;

  [[nodiscard]] std::size_t num_rows() const { return op.num_rows(); }
  [[nodiscard]] std::size_t num_cols() const { return op.num_cols(); }
  template <class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const {
    simulated_time += 20;
    op.apply(exec, x, y);
  }
};

/// Of two ranks; on rank 0.
program::ExchangeTimes times_with(Overlap overlap, int ranks) {
  program::ExchangeTimes times;
  run_ranks(ranks, [&](Communicator const& comm) {
    Exec const exec;
    auto const whole =
        comm.rank() == 0 ? generate<double, int, int, Device>(exec, "gen:stencil7:4") : Matrix<double>();
    auto const A = distribute_csr(exec, comm, RowBlocks::uniform(64, comm.size()), whole);
    std::shared_ptr<Transport<Exec>> const transport = std::make_shared<SlowTransport>(comm, overlap);
    auto const op = make_distributed_operator<double>(exec, A, transport, [&](auto const& local) {
      auto const product = make_operator<double>(exec, local);
      return SlowOperator<std::decay_t<decltype(product)>>{product};
    });
    auto const measured = program::measure_exchange<SimulatedTimer>(exec, op, transport, 3);
    if (comm.rank() == 0) times = measured;
  });
  return times;
}

TEST(MeasureExchange, HiddenBehindALongerProduct) {
  auto const times = times_with(Overlap::whole, 2);

  EXPECT_EQ(times.product, 20);
  EXPECT_EQ(times.without_exchange, 20);
  EXPECT_EQ(times.exchange, 10);
  EXPECT_EQ(times.local, 20);
  EXPECT_EQ(program::hidden_fraction(times), 1);
}

TEST(MeasureExchange, NotHiddenIfStartWaits) {
  auto const times = times_with(Overlap::none, 2);

  EXPECT_EQ(times.product, 30);
  EXPECT_EQ(times.without_exchange, 20);
  EXPECT_EQ(program::hidden_fraction(times), 0);
}

TEST(MeasureExchange, OneRankHasNoExchange) {
  auto const times = times_with(Overlap::whole, 1);

  EXPECT_EQ(times.product, 20);
  EXPECT_EQ(times.exchange, 0);
  EXPECT_FALSE(program::hidden_fraction(times));
}

TEST(MeasureExchange, MedianOfEveryTime) {
  auto const odd = program::median_of({{1, 5, 9, 2}, {3, 4, 7, 8}, {2, 6, 8, 5}});
  EXPECT_EQ(odd.product, 2);
  EXPECT_EQ(odd.without_exchange, 5);
  EXPECT_EQ(odd.exchange, 8);
  EXPECT_EQ(odd.local, 5);
  EXPECT_EQ(program::median_of({{1, 0, 0, 0}, {2, 0, 0, 0}}).product, 1.5);
}

}  // namespace
}  // namespace einkorn::tools
