// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The host loop of a distributed solve whose ranks wait for each other on the device only: all ranks must launch the
// same, however fast their devices publish their progress. A device is a host thread with random delays.

#include "../support/types.hpp"

#include <einkorn/solvers/engine/host_loop.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace einkorn::test {
namespace {

/// What happens in the iterations of a solve, the same on all ranks.
struct Scenario {
  std::string name;
  std::int64_t max_iterations = 1000, last = 1000;  // last: the solve stops after this iteration
  std::vector<std::int64_t> checks = {};  // the true residual is checked; the last check ends the solve
  int replace_every = 0, run_ahead = 4;
};

enum class Work { start, iteration, finish_update, replacement, check };

/// Runs work in order, later than it is launched. As CG on ranks, an iteration publishes the one before it.
class SlowDevice {
 public:
  SlowDevice(Scenario const& scenario, unsigned seed)
      : scenario_(scenario), random_(seed), flag_(64), thread_([this] { run(); }) {}
  ~SlowDevice() {
    {
      std::lock_guard const lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void launch(Work work) {
    launched_.push_back(work);
    std::lock_guard const lock(mutex_);
    queue_.push(work);
    changed_.notify_one();
  }
  [[nodiscard]] detail::ProgressFlag<Space> const& flag() const { return flag_; }
  [[nodiscard]] std::vector<Work> const& launched() const { return launched_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Work const work = queue_.front();
      queue_.pop();
      lock.unlock();
      auto const number = random_() % 64;
      std::this_thread::sleep_for(std::chrono::microseconds(number == 0 ? 2000 : number < 32 ? 0 : number));
      execute(work);
      lock.lock();
    }
  }
  void execute(Work work) {
    auto const publish = [&] { flag_.publisher(false).publish(progress_); };
    auto const end_of_iteration = [&] {
      if (!is_pending_) return;
      is_pending_ = false;
      ++progress_.iteration;
      for (auto const at : scenario_.checks)
        if (progress_.iteration == at) progress_.phase = detail::Phase::check;
      if (progress_.iteration == scenario_.last || progress_.iteration == scenario_.max_iterations)
        progress_.stop(Outcome::iteration_limit);
      publish();
    };
    switch (work) {
      case Work::start:
        return publish();
      case Work::iteration:
        end_of_iteration();
        is_pending_ = progress_.is_running();
        return;
      case Work::finish_update:
        return end_of_iteration();
      case Work::replacement:
        return;
      case Work::check:
        ++progress_.checks;
        progress_.phase = detail::Phase::running;
        if (progress_.iteration == scenario_.checks.back()) progress_.stop(Outcome::converged);
        return publish();
    }
  }

  Scenario scenario_;
  std::mt19937 random_;
  detail::ProgressFlag<Space> flag_;
  detail::Progress progress_;  // of the thread of the device
  bool is_pending_ = false;
  std::vector<Work> launched_;  // of the thread of the host
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Work> queue_;
  bool ends_ = false;
  std::thread thread_;
};

/// A method on ranks, with a transport that waits on the device.
struct MethodOnDevice {
  static constexpr bool is_distributed = true, may_launch_ahead = true;
  struct DeviceTransport {
    static bool is_stream_ordered() { return true; }
  };
  struct Operator {
    static DeviceTransport transport() { return {}; }
  };
  Operator a;
  SlowDevice* device;

  static detail::Progress* state() { return nullptr; }  // read by finish_solve() only
  void start() const { device->launch(Work::start); }
  void iteration() const { device->launch(Work::iteration); }
  void finish_update() const { device->launch(Work::finish_update); }
  void true_residual(detail::ResidualUse use) const {
    device->launch(use == detail::ResidualUse::check ? Work::check : Work::replacement);
  }
};

std::vector<Work> launched_by_rank(Scenario const& scenario, unsigned seed) {
  SolverOptions options;
  options.max_iterations = scenario.max_iterations;
  options.replace_every = scenario.replace_every;
  options.run_ahead = scenario.run_ahead;
  std::vector<double> history;
  SlowDevice device(scenario, seed);
  EXPECT_TRUE(detail::run_from_host(Space(), options, device.flag(), MethodOnDevice{{}, &device}, 0, history));
  return device.launched();
}

TEST(LaunchesOfRanks, AreTheSame) {
  for (auto const& scenario : std::vector<Scenario>{{"stops at once", 1000, 1},
                                                    {"stops", 1000, 23},
                                                    {"stops before the limit", 25, 24},
                                                    {"reaches the limit", 25, 1000},
                                                    {"limit of one", 1, 1000},
                                                    {"checks", 1000, 1000, {13, 20}},
                                                    {"checks at the limit", 20, 1000, {13, 20}},
                                                    {"replaces", 1000, 31, {}, 5},
                                                    {"replaces and checks", 40, 1000, {9, 10, 33}, 5},
                                                    {"one ahead", 1000, 23, {5, 24}, 10, 1},
                                                    {"far ahead", 60, 1000, {5, 24}, 10, 40}}) {
    SCOPED_TRACE(scenario.name);
    auto const expected = launched_by_rank(scenario, 1);
    for (unsigned seed = 2; seed < 14; ++seed)
      EXPECT_EQ(launched_by_rank(scenario, seed), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace einkorn::test
