// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exchange_times.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/solvers/distributed/operator.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::program {

/// Seconds per call of work() on the slowest rank; work() runs `calls` times between two fences. Collective.
/// @tparam Timer  seconds() since its construction
template <class Timer = Kokkos::Timer, class Exec, class Work>
double seconds_of_slowest(Exec const& exec, Communicator const& comm, int calls, Work const& work) {
  exec.fence("einkorn::program: before a measurement");
  (void)comm.all_gather(0);  // all ranks begin together
  Timer const timer;
  for (int i = 0; i < calls; ++i) work();
  exec.fence("einkorn::program: after a measurement");
  auto const all = comm.all_gather(timer.seconds() / calls);
  return *std::max_element(all.begin(), all.end());
}

/// The calls that take about 20 ms; the same on all ranks if `seconds` is.
inline int calls_for(double seconds) {
  return static_cast<int>(std::clamp(std::ceil(0.02 / std::max(seconds, 1e-9)), 1.0, 10000.0));
}

/// The buffers of another transport, whose halo exchanges send nothing: for the time of a product without
/// exchange. Its ghosts are those of one exchange, done when the channel is opened.
template <class Exec>
class WithoutExchange final : public Transport<Exec> {
 public:
  explicit WithoutExchange(std::shared_ptr<Transport<Exec>> transport)
      : Transport<Exec>(transport->communicator()), transport_(std::move(transport)) {}

  [[nodiscard]] std::string name() const override { return transport_->name() + ", without exchange"; }
  [[nodiscard]] bool is_stream_ordered() const override { return transport_->is_stream_ordered(); }
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    auto halo = transport_->open_halo(exec, messages, entry_bytes);
    halo->start(exec);
    halo->finish(exec);
    exec.fence("einkorn::program::WithoutExchange");
    return std::make_unique<Halo>(std::move(halo));
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    return transport_->open_gather(exec, max_count);
  }

 private:
  class Halo final : public HaloChannel<Exec> {
   public:
    explicit Halo(std::unique_ptr<HaloChannel<Exec>> halo) : halo_(std::move(halo)) {}
    [[nodiscard]] void* send_buffer() const override { return halo_->send_buffer(); }
    [[nodiscard]] void const* ghost_buffer() const override { return halo_->ghost_buffer(); }
    void start(Exec const&) override {}
    void finish(Exec const&) override {}

   private:
    std::unique_ptr<HaloChannel<Exec>> halo_;
  };

  std::shared_ptr<Transport<Exec>> transport_;
};

/// Measures the products of a distributed operator with and without its exchange. Copies share the buffers of
/// the operator: not during a solve.
template <class Operator, class Timer = Kokkos::Timer>
class ExchangeMeasurement;

template <class V, class Exec, class Matrix, class Local, class Timer>
class ExchangeMeasurement<DistributedOperator<V, Exec, Matrix, Local>, Timer> {
 public:
  using Operator = DistributedOperator<V, Exec, Matrix, Local>;

  /// Collective. Allocates two vectors, a second plan of the ghost part and two channels.
  /// @param transport  of op
  /// @throws OutOfMemory and the exceptions of the transport, on all ranks
  ExchangeMeasurement(Exec const& exec, Operator const& op, std::shared_ptr<Transport<Exec>> const& transport)
      : exec_(exec),
        op_(op),
        without_(make_distributed_operator<V>(exec, op.matrix(),
                                              std::make_shared<WithoutExchange<Exec>>(transport),
                                              [&](auto const&) { return op.local(); })),
        halo_(transport->open_halo(exec, op.matrix().halo.messages, sizeof(V))) {
    auto const& messages = op.matrix().halo.messages;
    auto const counts = comm().all_gather(messages.num_sent() + messages.num_received());
    exchanges_ = std::any_of(counts.begin(), counts.end(), [](std::size_t count) { return count > 0; });
    comm().collectively([&] {
      x_ = allocate<Vector>(exec, "einkorn::program::ExchangeMeasurement::x", op.num_rows());
      y_ = allocate<Vector>(exec, "einkorn::program::ExchangeMeasurement::y", op.num_rows());
    });
    Kokkos::deep_copy(exec, x_, V(1));
    (void)sample();  // warms up
    calls_ = exchange_calls_ = 10;
    auto const few = sample();
    calls_ = calls_for(few.product);
    exchange_calls_ = calls_for(few.exchange);
  }

  /// Each time is that of one loop of about 20 ms. Collective.
  [[nodiscard]] ExchangeTimes sample() const {
    ExchangeTimes times;
    times.product = seconds_of_slowest<Timer>(exec_, comm(), calls_, [&] { op_.apply(exec_, x_, y_); });
    times.without_exchange =
        seconds_of_slowest<Timer>(exec_, comm(), calls_, [&] { without_.apply(exec_, x_, y_); });
    times.local = seconds_of_slowest<Timer>(exec_, comm(), calls_, [&] { op_.local().apply(exec_, x_, y_); });
    if (!exchanges_) return times;
    times.exchange = seconds_of_slowest<Timer>(exec_, comm(), exchange_calls_, [&] {
      halo_->start(exec_);
      halo_->finish(exec_);
    });
    return times;
  }

 private:
  using Vector = Kokkos::View<V*, typename Operator::Device>;
  [[nodiscard]] Communicator const& comm() const { return op_.communicator(); }

  Exec exec_;
  Operator op_, without_;
  std::shared_ptr<HaloChannel<Exec>> halo_;
  Vector x_, y_;
  bool exchanges_ = false;
  int calls_ = 1, exchange_calls_ = 1;
};

/// The median of each time.
inline ExchangeTimes median_of(std::vector<ExchangeTimes> const& samples) {
  ExchangeTimes medians;
  for (auto const time : {&ExchangeTimes::product, &ExchangeTimes::without_exchange, &ExchangeTimes::exchange,
                          &ExchangeTimes::local}) {
    std::vector<double> values;
    for (auto const& sample : samples) values.push_back(sample.*time);
    std::sort(values.begin(), values.end());
    auto const half = values.size() / 2;
    medians.*time = values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
  }
  return medians;
}

/// Medians over `rounds` rounds, each of which measures every time. Collective.
template <class Timer = Kokkos::Timer, class Exec, class Operator>
ExchangeTimes measure_exchange(Exec const& exec, Operator const& op,
                               std::shared_ptr<Transport<Exec>> const& transport, int rounds) {
  ExchangeMeasurement<Operator, Timer> const measurement(exec, op, transport);
  std::vector<ExchangeTimes> samples;
  for (int round = 0; round < rounds; ++round) samples.push_back(measurement.sample());
  return median_of(samples);
}

}  // namespace einkorn::program
