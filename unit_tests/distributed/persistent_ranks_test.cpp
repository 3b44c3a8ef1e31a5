// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG by one persistent kernel per rank, on GPUs whose kernels access the memory of each other.

#include "../solvers/systems.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "on_ranks.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/peer_transport.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/scaled_system.hpp>

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
std::shared_ptr<Transport<Space>> const& peer() {
  static std::shared_ptr<Transport<Space>> const transport = std::make_shared<PeerTransport<Space>>(world());
  return transport;
}

/// A solve of this rank's rows.
struct Solved {
  SolveReport report;
  std::vector<double> x;
};
template <class Operator>
Solved solved(Operator const& op, std::vector<double> const& my_b, SolverOptions options, Execution execution) {
  options.execution = execution;
  auto const b = to_device(my_b);
  Kokkos::View<double*, Device> const x("x", b.extent(0));
  auto const report = cg(Space(), op, b, x, options);
  return {report, to_host(x)};
}

class OnRanks {
 public:
  OnRanks(System<double> const& system, RowBlocks const& blocks)
      : A(distribute_csr(Space(), world(), blocks,
                         world().rank() == 0 ? system.A.on_device() : Csr<double, int, int, Device>())),
        b(part_of(system.b(), blocks, world().rank())) {}
  DistributedCsr<double, int, int, Device> A;
  std::vector<double> b;
};

RowBlocks uniform(System<double> const& system) {
  return RowBlocks::uniform(static_cast<std::int64_t>(system.A.rows()), world().size());
}

template <class MakeOperator>
void expect_persistent_solves(System<double> const& system, RowBlocks const& blocks, MakeOperator const& make) {
  SCOPED_TRACE(system.name);
  OnRanks const mine(system, blocks);
  auto const op = make(mine.A);
  SolverOptions options;
  options.replace_every = 20;
  options.keep_history = true;
  auto const persistent = solved(op, mine.b, options, Execution::persistent),
             again = solved(op, mine.b, options, Execution::persistent),
             launched = solved(op, mine.b, options, Execution::launches);
  auto const& report = persistent.report;
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.residual, options.tolerance * report.reference);
  auto const expected = static_cast<double>(launched.report.iterations);
  EXPECT_NEAR(static_cast<double>(report.iterations), expected, 0.05 * expected + 2);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_TRUE(same_numbers(persistent.x, again.x));
  EXPECT_EQ(report.history, again.report.history);
  for (double const residual : world().all_gather(report.residual)) EXPECT_EQ(residual, report.residual);
}

TEST(PersistentRanks, Converge) {
  auto const csr = [](auto const& A) { return make_distributed_operator<double>(Space(), A, peer()); };
  for (auto const& system : {lattice(12, 13, 7), lattice(40, 40), lattice(500)})
    expect_persistent_solves(system, uniform(system), csr);
  // Rows that need entries of every rank, and a rank with few rows.
  auto const system = shuffled(lattice(20, 20), 7);
  expect_persistent_solves(system, uniform(system), csr);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(world().size()) + 1, 400);
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) offsets[r] = static_cast<std::int64_t>(r);
  expect_persistent_solves(system, RowBlocks(offsets), csr);
}
/// Values in device memory (CgCsr.PersistentWithValuesInDeviceMemory), on GPUs like H100 and for two ranks.
TEST(PersistentRanks, WithValuesInDeviceMemory) {
  if (world().size() != 2) GTEST_SKIP() << "sized for two ranks";
  auto const system = lattice(72, 72, 144);
  expect_persistent_solves(system, uniform(system),
                           [](auto const& A) { return make_distributed_operator<double>(Space(), A, peer()); });
}

TEST(PersistentRanks, OfTheScaledSystem) {
  auto const system = badly_scaled(lattice(25, 30));
  expect_persistent_solves(system, uniform(system), [](auto const& A) {
    return make_jacobi_scaled<double>(Space(), A, peer(), ScaledSides::both);
  });
}

TEST(PersistentRanks, LimitAndIndefiniteOperator) {
  auto system = lattice(20, 20);
  OnRanks const mine(system, uniform(system));
  auto const op = make_distributed_operator<double>(Space(), mine.A, peer());
  for (int const limit : {1, 2, 7, 20, 21}) {
    SolverOptions options;
    options.tolerance = 0;
    options.max_iterations = limit;
    options.replace_every = 7;
    auto const persistent = solved(op, mine.b, options, Execution::persistent),
               launched = solved(op, mine.b, options, Execution::launches);
    EXPECT_EQ(persistent.report.outcome, Outcome::iteration_limit);
    EXPECT_EQ(persistent.report.iterations, limit);
    EXPECT_NEAR(persistent.report.residual, launched.report.residual, 1e-9 * launched.report.residual);
  }
  for (auto& value : system.A.values) value = -value;
  OnRanks const negative(system, uniform(system));
  auto const negative_op = make_distributed_operator<double>(Space(), negative.A, peer());
  EXPECT_EQ(solved(negative_op, negative.b, {}, Execution::persistent).report.outcome,
            Outcome::indefinite_operator);
}

/// A workspace serves the operator that it was made for; without it, and with a rank without rows, the solve is not
/// persistent.
TEST(PersistentRanks, OtherOperatorAndRankWithoutRows) {
  auto const system = lattice(12, 13);
  OnRanks const mine(system, uniform(system));
  auto const op = make_distributed_operator<double>(Space(), mine.A, peer()),
             other = make_distributed_operator<double>(Space(), mine.A, peer());
  auto const b = to_device(mine.b);
  Kokkos::View<double*, Device> const x("x", b.extent(0));
  CgWorkspace<double, Space> const workspace(Space(), op);
  SolverOptions persistent;
  persistent.execution = Execution::persistent;
  EXPECT_TRUE(cg(Space(), op, b, x, persistent, workspace).converged());
  EXPECT_TRUE(cg(Space(), other, b, x, {}, workspace).converged());
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)cg(Space(), other, b, x, persistent, workspace); },
                                      {"Execution::persistent", "this operator"}));
  if (world().size() == 1) return;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(world().size()) + 1, 0);
  offsets.back() = static_cast<std::int64_t>(system.A.rows());
  OnRanks const uneven(system, RowBlocks(offsets));
  auto const uneven_op = make_distributed_operator<double>(Space(), uneven.A, peer());
  EXPECT_TRUE(solved(uneven_op, uneven.b, {}, Execution::automatic).report.converged());
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)solved(uneven_op, uneven.b, {}, Execution::persistent); },
                                      {"Execution::persistent"}));
}

}  // namespace
}  // namespace einkorn::test
