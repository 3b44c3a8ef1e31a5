// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A history of more iterations than the ring of residuals holds.

#include "../support/types.hpp"

#include <einkorn/solvers/engine/host_loop.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

using ProgressFlag = detail::ProgressFlag<Space>;

/// Publishes |r| = 1 / (k + 1) after iteration k, and stops after `last`.
struct Counting {
  static constexpr bool is_distributed = false;

  detail::Progress* progress;
  ProgressFlag::Publisher publisher;
  std::int64_t last;

  void start() const {
    *progress = {};
    progress->residual2 = 1;
    publisher.publish(*progress);
  }
  void iteration() const {
    if (!progress->is_running()) return;
    auto const k = static_cast<double>(++progress->iteration + 1);
    progress->residual2 = 1 / (k * k);
    if (progress->iteration == last) progress->stop(Outcome::iteration_limit);
    publisher.publish(*progress);
  }
  static void true_residual(detail::ResidualUse) {}
  [[nodiscard]] detail::Progress* state() const { return progress; }
};

TEST(ResidualHistory, CompleteBeyondRingCapacity) {
  std::int64_t const last = 100'000;
  ProgressFlag const flag(128);
  detail::Progress progress;
  SolverOptions options;
  options.max_iterations = last;
  options.keep_history = true;
  options.run_ahead = 1000;
  std::int64_t calls = 0;
  options.callback = [&](std::int64_t iteration, double residual) {
    ++calls;
    EXPECT_NEAR(residual, 1 / static_cast<double>(iteration + 1), 1e-15) << iteration;
    return true;
  };
  std::vector<double> history;

  EXPECT_TRUE(detail::run_from_host(Space(), options, flag, Counting{&progress, flag.publisher(true), last}, 0,
                                    history));
  flag.read_history(progress.iteration, history);

  EXPECT_GT(calls, last / 2);
  ASSERT_EQ(history.size(), static_cast<std::size_t>(last) + 1);
  for (std::size_t k = 0; k < history.size(); ++k)
    ASSERT_NEAR(history[k], 1 / static_cast<double>(k + 1), 1e-15) << k;
}

}  // namespace
}  // namespace einkorn::test
