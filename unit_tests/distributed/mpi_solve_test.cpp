// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Solves on the ranks of MPI, with every transport of the space, have the bits of those on as many ranks of a loopback.

#include "../solvers/systems.hpp"
#include "../support/near.hpp"
#include "on_ranks.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/comm/peer_transport.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/scaled_system.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

Communicator const& world() {
  static Communicator const comm = make_mpi_communicator();
  return comm;
}

/// The matrix, which rank 0 has, in given blocks of rows.
auto distributed(HostMatrix<double> const& A, RowBlocks const& blocks) {
  return distribute_csr(Space(), world(), blocks,
                        world().rank() == 0 ? A.on_device() : Csr<double, int, int, Device>());
}
std::shared_ptr<Transport<Space>> transport() {
  return std::make_shared<MpiTransport<Space>>(world());
}
template <class Exec = Space>
std::vector<std::shared_ptr<Transport<Exec>>> transports() {
  std::vector<std::shared_ptr<Transport<Exec>>> list = {transport()};
  if constexpr (has_peer_memory<Exec>) list.push_back(std::make_shared<PeerTransport<Exec>>(world()));
  return list;
}
std::vector<RowBlocks> blocks_of(System<double> const& system) {
  auto const rows = static_cast<std::int64_t>(system.A.rows());
  std::vector<std::int64_t> uneven(static_cast<std::size_t>(world().size()) + 1, rows);
  uneven[0] = 0;
  for (std::size_t r = 1; r + 1 < uneven.size(); ++r) uneven[r] = static_cast<std::int64_t>(r) - 1;
  return {RowBlocks::uniform(rows, world().size()), RowBlocks(uneven)};
}

SolverOptions with_execution(SolverOptions options, Execution execution) {
  options.execution = execution;
  return options;
}

/// solve(exec, A, transport, options, b, x), with each transport, in launches and, where possible, in graphs.
template <class Solve>
void expect_bits_of_the_loopback(System<double> const& system, Solve const& solve,
                                 SolverOptions const& options = {}, Outcome outcome = Outcome::converged) {
  auto const b = system.b(), x0 = std::vector<double>(b.size());
  for (auto const& blocks : blocks_of(system)) {
    auto const launched = [&](auto const& exec, auto const& A, auto const& given, auto const& my_b,
                              auto const& x) {
      return solve(exec, A, given, with_execution(options, Execution::launches), my_b, x);
    };
    auto const want = solved_on_ranks(system.A, blocks, b, x0, launched);
    for (auto const& given : transports())
      for (auto const execution : {Execution::launches, Execution::graph}) {
        if (execution == Execution::graph && !given->is_stream_ordered()) continue;
        SCOPED_TRACE(given->name());
        auto const x = to_device(part_of(x0, blocks, world().rank()));
        auto const report =
            solve(Space(), distributed(system.A, blocks), given, with_execution(options, execution),
                  to_device(part_of(b, blocks, world().rank())), x);
        EXPECT_EQ(report.outcome, outcome);
        EXPECT_EQ(report.iterations, want.reports[0].iterations);
        EXPECT_EQ(report.residual, want.reports[0].residual);
        EXPECT_TRUE(same_numbers(to_host(x), part_of(want.x, blocks, world().rank())));
      }
  }
}

auto const solve_by_cg = [](auto const& exec, auto const& A, auto const& given, auto const& options,
                            auto const& b, auto const& x) {
  return cg(exec, make_distributed_operator<double>(exec, A, given), b, x, options);
};

TEST(MpiSolve, Cg) {
  expect_bits_of_the_loopback(lattice(12, 13, 7), solve_by_cg);
}
TEST(MpiSolve, CgOfTheScaledSystem) {
  expect_bits_of_the_loopback(
      badly_scaled(lattice(25, 30)), [](auto const& exec, auto const& A, auto const& given, auto const& options,
                                        auto const& b, auto const& x) {
        return cg(exec, make_jacobi_scaled<double>(exec, A, given, ScaledSides::both), b, x, options);
      });
}
TEST(MpiSolve, PcgWithJacobi) {
  expect_bits_of_the_loopback(badly_scaled(lattice(25, 30)),
                              [](auto const& exec, auto const& A, auto const& given, auto const& options,
                                 auto const& b, auto const& x) {
                                return pcg(exec, make_distributed_operator<double>(exec, A, given),
                                           make_jacobi(exec, A.local), b, x, options);
                              });
}
TEST(MpiSolve, Bicgstab) {
  expect_bits_of_the_loopback(convection(20, 20, 0.3), [](auto const& exec, auto const& A, auto const& given,
                                                          auto const& options, auto const& b, auto const& x) {
    return bicgstab(exec, make_distributed_operator<double>(exec, A, given), b, x, options);
  });
}

/// Iterations that do not fill a graph, replacements of the residual within and between graphs.
TEST(MpiSolve, LimitsAndReplacements) {
  for (int const limit : {1, 9, 20, 23, 35})
    for (int const replace_every : {0, 7, 10}) {
      SCOPED_TRACE(std::to_string(limit) + " iterations, replaced every " + std::to_string(replace_every));
      SolverOptions options;
      options.tolerance = 0;
      options.max_iterations = limit;
      options.replace_every = replace_every;
      expect_bits_of_the_loopback(lattice(20, 20), solve_by_cg, options, Outcome::iteration_limit);
    }
}
TEST(MpiSolve, IndefiniteOperator) {
  auto system = lattice(9, 9);
  for (auto& value : system.A.values) value = -value;
  expect_bits_of_the_loopback(system, solve_by_cg, {}, Outcome::indefinite_operator);
}

TEST(MpiSolve, HistoryAndCallback) {
  std::vector<std::vector<double>> histories;
  for (auto const& given : transports())
    for (bool const has_callback : {false, true}) {
      auto const system = lattice(12, 13, 7);
      auto const blocks = blocks_of(system)[0];
      SolverOptions options;
      options.keep_history = true;
      options.execution = Execution::launches;  // persistent kernels have other bits
      std::int64_t last = -1;
      if (has_callback)
        options.callback = [&last](std::int64_t iteration, double) {
          EXPECT_GT(iteration, last);
          last = iteration;
          return true;
        };
      auto const b = to_device(part_of(system.b(), blocks, world().rank()));
      Kokkos::View<double*, Device> const x("x", b.extent(0));
      auto const op = make_distributed_operator<double>(Space(), distributed(system.A, blocks), given);
      auto const report = cg(Space(), op, b, x, options);
      EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
      EXPECT_EQ(has_callback, last >= 0);
      histories.push_back(report.history);
    }
  for (auto const& history : histories) EXPECT_EQ(history, histories[0]);
}

/// The last rank fails; all ranks throw, and can solve afterwards.
TEST(MpiSolve, ErrorOfOneRank) {
  auto const system = lattice(12, 13);
  auto const blocks = blocks_of(system)[0];
  auto const A = distributed(system.A, blocks);
  Space const exec;
  auto const op = make_distributed_operator<double>(exec, A, transport());
  auto const b = to_device(part_of(system.b(), blocks, world().rank()));
  Kokkos::View<double*, Device> const x("x", b.extent(0)), too_short("x", 1);
  int const last = world().size() - 1;
  std::string message;
  try {
    (void)cg(exec, op, b, world().rank() == last ? too_short : x);
  } catch (DimensionMismatch const& error) {
    message = error.what();
  }
  EXPECT_NE(
      message.find(last > 0 ? "rank " + std::to_string(last) + ": cg: x has 1 entries" : "cg: x has 1 entries"),
      std::string::npos)
      << message;
  EXPECT_TRUE(cg(exec, op, b, x).converged());
}

TEST(MpiSolve, MatrixIsGatheredWithoutLoss) {
  auto const system = lattice(12, 13);
  for (auto const& blocks : blocks_of(system)) {
    auto const A = gather_csr(distributed(system.A, blocks), 0);
    if (world().rank() != 0) continue;
    auto const got = to_host(A);
    EXPECT_EQ(got.offsets, system.A.offsets);
    EXPECT_EQ(got.columns, system.A.columns);
    EXPECT_EQ(got.values, system.A.values);
  }
}

}  // namespace
}  // namespace einkorn::test
