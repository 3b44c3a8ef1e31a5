// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// What one rank finds or refuses ends the solve of all ranks in the same way.

#include "../solvers/systems.hpp"
#include "../support/near.hpp"
#include "on_ranks.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

constexpr int num_ranks = 3;

System<double> small_system() {
  return lattice(12, 13);
}
RowBlocks blocks_of(System<double> const& system) {
  return RowBlocks::uniform(static_cast<std::int64_t>(system.A.rows()), num_ranks);
}

/// The reports of all ranks for cg() with options(rank), started from x0 = 0; b may be changed per rank.
template <class Options, class Solve>
SolvedOnRanks<double> run(System<double> const& system, std::vector<double> const& b, Options const& options_of,
                          Solve const& solve) {
  return solved_on_ranks(
      system.A, blocks_of(system), b, std::vector<double>(b.size()),
      [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in, auto const& x) {
        auto const op = make_distributed_operator<double>(exec, A, transport);
        return solve(exec, op, b_in, x, options_of(A.communicator.rank()));
      });
}
auto const plain_options = [](int) { return SolverOptions(); };
auto const by_cg = [](auto const& exec, auto const& op, auto const& b, auto const& x, auto const& options) {
  return cg(exec, op, b, x, options);
};
auto const by_bicgstab = [](auto const& exec, auto const& op, auto const& b, auto const& x,
                            auto const& options) { return bicgstab(exec, op, b, x, options); };

void expect_all(SolvedOnRanks<double> const& got, Outcome outcome) {
  for (auto const& report : got.reports) {
    EXPECT_EQ(report.outcome, outcome);
    EXPECT_EQ(report.iterations, got.reports[0].iterations);
  }
}

/// call(rank) throws Kind with the same message, which contains `part`, on every rank.
template <class Kind, class Call>
void expect_throws_on_all(System<double> const& system, std::string const& part, Call const& call) {
  std::vector<std::string> messages(num_ranks);
  on_ranks(system.A, blocks_of(system), [&](auto const& exec, auto const& A, auto const& transport) {
    auto& message = messages[static_cast<std::size_t>(A.communicator.rank())];
    try {
      call(exec, A, transport);
    } catch (Kind const& error) {
      message = error.what();
    }
  });
  EXPECT_NE(messages[0].find(part), std::string::npos) << messages[0];
  for (auto const& message : messages) EXPECT_EQ(message, messages[0]);
}

template <class A>
auto part_of_rank(std::vector<double> const& v, A const& matrix) {
  return to_device(part_of(v, matrix.blocks, matrix.communicator.rank()));
}

TEST(DistributedOutcomes, CallbackOfOneRankStopsAll) {
  auto const system = small_system();
  auto const options = [](int rank) {
    SolverOptions result;
    result.callback = [rank](std::int64_t iteration, double) { return rank != 1 || iteration < 5; };
    return result;
  };
  auto const got = run(system, system.b(), options, by_cg);
  expect_all(got, Outcome::stopped);
  EXPECT_GE(got.reports[0].iterations, 5);
  EXPECT_LE(got.reports[0].iterations, 8);
  expect_all(run(system, system.b(), options, by_bicgstab), Outcome::stopped);
}

TEST(DistributedOutcomes, CallbackThatThrowsOnOneRank) {
  auto const system = small_system();
  auto const b = system.b();
  std::vector<std::vector<double>> after(num_ranks);
  expect_throws_on_all<Error>(
      system, "rank 2: enough", [&](auto const& exec, auto const& A, auto const& transport) {
        int const rank = A.communicator.rank();
        SolverOptions options;
        options.callback = [rank](std::int64_t iteration, double) {
          if (rank == 2 && iteration == 3) throw std::runtime_error("enough");
          return true;
        };
        auto const x = part_of_rank(std::vector<double>(b.size(), 2.5), A);
        try {
          (void)cg(exec, make_distributed_operator<double>(exec, A, transport), part_of_rank(b, A), x, options);
        } catch (...) {
          after[static_cast<std::size_t>(rank)] = to_host(x);
          throw;
        }
      });
  for (auto const& x : after)
    for (auto const entry : x) EXPECT_EQ(entry, 2.5);
}

TEST(DistributedOutcomes, DifferentOptions) {
  auto const system = small_system();
  auto const b = system.b();
  using Change = void (*)(SolverOptions&);
  for (Change const change :
       {Change([](SolverOptions& options) { options.tolerance = 1e-3; }),
        Change([](SolverOptions& options) { options.run_ahead = 3; }),
        Change([](SolverOptions& options) { options.restart = 7; }),
        Change([](SolverOptions& options) { options.callback = [](std::int64_t, double) { return true; }; })})
    expect_throws_on_all<InvalidArgument>(system, "cg: rank 1 has other options than rank 0",
                                          [&](auto const& exec, auto const& A, auto const& transport) {
                                            SolverOptions options;
                                            if (A.communicator.rank() == 1) change(options);
                                            (void)cg(exec,
                                                     make_distributed_operator<double>(exec, A, transport),
                                                     part_of_rank(b, A), part_of_rank(b, A), options);
                                          });
}

TEST(DistributedOutcomes, WrongArgumentsOfOneRank) {
  auto const system = small_system();
  auto const b = system.b();
  auto const solve = [&](auto const& exec, auto const& A, auto const& transport, auto const& change) {
    auto const op = make_distributed_operator<double>(exec, A, transport);
    Kokkos::View<double*, Device> b_in = part_of_rank(b, A), x = part_of_rank(b, A);
    SolverOptions options;
    if (A.communicator.rank() == 1) change(b_in, x, options);
    (void)bicgstab(exec, op, b_in, x, options);
  };
  expect_throws_on_all<DimensionMismatch>(
      system, "rank 1: bicgstab: b has 1 entries", [&](auto const&... arguments) {
        solve(arguments..., [](auto& b_in, auto&, auto&) { b_in = Kokkos::View<double*, Device>("b", 1); });
      });
  expect_throws_on_all<InvalidArgument>(
      system, "rank 1: bicgstab: b and x overlap",
      [&](auto const&... arguments) { solve(arguments..., [](auto& b_in, auto& x, auto&) { x = b_in; }); });
  expect_throws_on_all<InvalidArgument>(system, "rank 1: solve: run_ahead", [&](auto const&... arguments) {
    solve(arguments..., [](auto&, auto&, auto& options) { options.run_ahead = 0; });
  });
  expect_throws_on_all<InvalidArgument>(system, "persistent",
                                        [&](auto const& exec, auto const& A, auto const& transport) {
                                          SolverOptions options;
                                          options.execution = Execution::persistent;
                                          (void)cg(exec, make_distributed_operator<double>(exec, A, transport),
                                                   part_of_rank(b, A), part_of_rank(b, A), options);
                                        });
  expect_throws_on_all<InvalidArgument>(system, "rank 2: make_distributed_operator: transport is empty",
                                        [&](auto const& exec, auto const& A, auto const& transport) {
                                          (void)make_distributed_operator<double>(
                                              exec, A, A.communicator.rank() == 2 ? nullptr : transport);
                                        });
  run_ranks(1, [&](Communicator const& alone) {
    std::shared_ptr<Transport<Space>> const of_one_rank = std::make_shared<LoopbackTransport<Space>>(alone);
    expect_throws_on_all<InvalidArgument>(system,
                                          "rank 0: make_distributed_operator: transport has 1 ranks, A has 3",
                                          [&](auto const& exec, auto const& A, auto const&) {
                                            (void)make_distributed_operator<double>(exec, A, of_one_rank);
                                          });
  });
  expect_throws_on_all<FillLimit>(
      system, "rank 0: too much", [&](auto const& exec, auto const& A, auto const& transport) {
        (void)make_distributed_operator<double>(exec, A, transport, [&](auto const& local) {
          require<FillLimit>(A.communicator.rank() != 0, "too much");
          return make_operator<double>(exec, local);
        });
      });
}

TEST(DistributedOutcomes, FailedPreconditionerNamesTheGlobalRow) {
  auto system = small_system();
  std::size_t const row = system.A.rows() / 3 + 7;  // of rank 1
  for (auto const zero : {row, 2 * row})            // and of rank 2, which is not reported
    for (auto k = system.A.begin(zero); k < system.A.end(zero); ++k)
      if (system.A.column(k) == zero) system.A.values[k] = 0;
  auto const b = system.b();
  auto const got = solved_on_ranks(
      system.A, blocks_of(system), b, std::vector<double>(b.size()),
      [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in, auto const& x) {
        return pcg(exec, make_distributed_operator<double>(exec, A, transport), make_jacobi(exec, A.local),
                   b_in, x);
      });
  expect_all(got, Outcome::zero_pivot);
  for (auto const& report : got.reports) EXPECT_EQ(report.row, static_cast<std::int64_t>(row));
}

TEST(DistributedOutcomes, NotFiniteOnOneRank) {
  auto const system = small_system();
  auto b = system.b();
  b[b.size() - 1] = std::numeric_limits<double>::quiet_NaN();
  expect_all(run(system, b, plain_options, by_cg), Outcome::non_finite);
  b[b.size() - 1] = std::numeric_limits<double>::infinity();
  expect_all(run(system, b, plain_options, by_bicgstab), Outcome::non_finite);
}

TEST(DistributedOutcomes, ZeroRightHandSide) {
  auto const system = small_system();
  std::vector<double> const zero(system.A.rows());
  auto const got = run(system, zero, plain_options, by_cg);
  expect_all(got, Outcome::converged);
  EXPECT_TRUE(same_numbers(got.x, zero));
}

TEST(DistributedOutcomes, IndefiniteOperator) {
  auto system = small_system();
  for (auto& value : system.A.values) value = -value;
  expect_all(run(system, system.b(), plain_options, by_cg), Outcome::indefinite_operator);
}

TEST(DistributedOutcomes, IterationLimitReportsTheBestX) {
  auto const system = small_system();
  auto const b = system.b();
  auto const options = [](int) {
    SolverOptions result;
    result.max_iterations = 7;
    return result;
  };
  for (auto const& got : {run(system, b, options, by_cg), run(system, b, options, by_bicgstab)}) {
    expect_all(got, Outcome::iteration_limit);
    EXPECT_EQ(got.reports[0].iterations, 7);
    EXPECT_NEAR(got.reports[0].residual, true_residual(system.A, b, got.x), 1e-12 * norm(b));
  }
}

/// Only one rank has entries of b; squares overflow or underflow.
TEST(DistributedOutcomes, RightHandSideOutOfRange) {
  auto const system = small_system();
  for (double const scale : {1e180, 1e-180}) {
    std::vector<double> b(system.A.rows());
    for (std::size_t i = 0; i < b.size() / 4; ++i) b[i] = scale * (1 + static_cast<double>(i % 3));
    auto const got = run(system, b, plain_options, by_cg);
    expect_all(got, Outcome::converged);
    auto scaled_b = b, scaled_x = got.x;
    for (auto& entry : scaled_b) entry /= scale;
    for (auto& entry : scaled_x) entry /= scale;
    EXPECT_LE(true_residual(system.A, scaled_b, scaled_x), 1.001e-8 * norm(scaled_b));
  }
}

}  // namespace
}  // namespace einkorn::test
