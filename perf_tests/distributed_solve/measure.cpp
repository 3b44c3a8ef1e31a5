// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/measure.hpp"
#include "program/measure_exchange.hpp"
#include "support/timing.hpp"

#include <einkorn/core/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace einkorn::perf::distributed {

namespace {

void sleep_until_all_arrive() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

SolverOptions fixed_iterations(Settings const& settings) {
  SolverOptions options;
  options.tolerance = 0;
  options.max_iterations = settings.iterations;
  options.replace_every = settings.replace_every;
  options.max_stalls = 0;
  options.divergence_factor = 1e150;
  options.execution = settings.execution;
  return options;
}

void require_convergence(Problem const& problem, Solver const& solver, SolverOptions options) {
  options.tolerance = 1e-8;
  options.max_iterations = 10000;
  auto const report = solver.on_ranks(options);
  require<Error>(report.converged(), [&] {
    return solver.name + " on " + std::to_string(problem.comm().size()) + " ranks: " + name_of(report.outcome) +
           " after " + std::to_string(report.iterations) + " iterations, expected convergence to 1e-8";
  });
}

double per_iteration(double seconds, SolveReport const& report) {
  return seconds / static_cast<double>(std::max<std::int64_t>(1, report.iterations));
}

class Measurement {
 public:
  Measurement(Problem const& problem, Bandwidth const& bandwidth, Settings const& settings)
      : problem_(problem),
        bandwidth_(bandwidth),
        options_(fixed_iterations(settings)),
        num_rounds_(settings.rounds),
        checks_(settings.checks),
        with_alone_(settings.alone),
        exchange_(problem.exec, problem.op, problem.transport),
        gather_(problem.transport->open_gather(problem.exec, 5)) {
    (void)seconds_of_gather(10);  // warms up
    gather_calls_ = program::calls_for(seconds_of_gather(100));
  }

  [[nodiscard]] SolverOptions const& options() const { return options_; }

  Measured operator()(Solver solver) const {
    if (checks_) require_convergence(problem_, solver, options_);
    Measured measured{std::move(solver), {}, {}, {}};
    for (int i = -1; i < num_rounds_; ++i) {
      auto const round = measure_round(measured);
      if (i >= 0) measured.rounds.push_back(round);
    }
    return measured;
  }

 private:
  [[nodiscard]] double seconds_of_gather(int calls) const {
    return program::seconds_of_slowest(problem_.exec, problem_.comm(), calls,
                                       [&] { gather_->gather(problem_.exec, 0, 5); });
  }
  Round measure_round(Measured& measured) const {
    auto const& exec = problem_.exec;
    auto const& comm = problem_.comm();
    Round round;
    auto const seconds = program::seconds_of_slowest(
        exec, comm, 1, [&] { measured.report = measured.solver.on_ranks(options_); });
    round.iteration = per_iteration(seconds, measured.report);
    round.exchange = exchange_.sample();
    round.gather = seconds_of_gather(gather_calls_);
    round.copy = program::seconds_of_slowest(exec, comm, 1, [&] { bandwidth_.copy(); });
    if (!with_alone_) return round;
    auto automatic = options_;
    automatic.execution = Execution::automatic;
    auto const alone =
        on_rank_0_alone(exec, comm, [&] { measured.alone_report = measured.solver.alone(automatic); });
    round.alone_iteration = per_iteration(alone, measured.alone_report);
    round.alone_copy = on_rank_0_alone(exec, comm, [&] { bandwidth_.copy(); });
    return round;
  }

  Problem const& problem_;
  Bandwidth const& bandwidth_;
  SolverOptions options_;
  int num_rounds_;
  bool checks_, with_alone_;
  program::ExchangeMeasurement<RankOperator> exchange_;
  std::shared_ptr<GatherChannel<Exec>> gather_;
  int gather_calls_ = 1;
};

}  // namespace

std::vector<double> Measured::samples(double Round::* time) const {
  std::vector<double> seconds;
  for (auto const& round : rounds) seconds.push_back(round.*time);
  return seconds;
}

std::vector<double> Measured::samples(double program::ExchangeTimes::* time) const {
  std::vector<double> seconds;
  for (auto const& round : rounds) seconds.push_back(round.exchange.*time);
  return seconds;
}

program::ExchangeTimes Measured::exchange() const {
  std::vector<program::ExchangeTimes> times;
  for (auto const& round : rounds) times.push_back(round.exchange);
  return program::median_of(times);
}

double on_rank_0_alone(Exec const& exec, Communicator const& comm, std::function<void()> const& work) {
  double const seconds = comm.rank() == 0 ? wall_seconds_of(exec, work) : 0;
  sleep_until_all_arrive();
  return seconds;
}

std::vector<Measured> measure(Problem const& problem, Bandwidth const& bandwidth, Settings const& settings) {
  Measurement const measurement(problem, bandwidth, settings);
  std::vector<Measured> all;
  struct Named {
    char const* name;
    Solver (*make)(Problem const&, SolverOptions const&);
  };
  for (auto const& [name, make] : {Named{"cg", make_cg}, Named{"jacobi-scaled-cg", make_jacobi_scaled_cg},
                                   Named{"jacobi-pcg", make_jacobi_pcg}, Named{"bicgstab", make_bicgstab}}) {
    if (!settings.wants(name)) continue;
    all.push_back(measurement(make(problem, measurement.options())));
    all.back().solver.on_ranks = {};  // frees the workspaces
    all.back().solver.alone = {};
  }
  return all;
}

}  // namespace einkorn::perf::distributed
