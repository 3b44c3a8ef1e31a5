// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG, PCG and BiCGStab of one system on several ranks.

#include "../solvers/systems.hpp"
#include "../support/near.hpp"
#include "on_ranks.hpp"

#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/scaled_system.hpp>
#include <einkorn/solvers/gmres.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/richardson.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

/// One method in two forms: on the ranks, and on one process without communication.
template <class S>
struct Method {
  using Ranks = DistributedCsr<S, int, int, Device>;
  using B = Kokkos::View<S*, Device>;
  using OnRanks =
      std::function<SolveReport(Space const&, Ranks const&, std::shared_ptr<Transport<Space>> const&, B const&,
                                B const&, SolverOptions const&)>;
  using OnOne =
      std::function<SolveReport(Csr<S, int, int, Device> const&, B const&, B const&, SolverOptions const&)>;

  std::string name;
  OnRanks on_ranks;
  OnOne on_one;
};

auto const jacobi = [](auto const& exec, auto const& A) { return make_jacobi(exec, A); };
auto const block_jacobi = [](auto const& exec, auto const& A) {
  return make_block_jacobi(exec, A, BlockJacobiOptions{.block_size = 4});
};

template <class S>
Method<S> cg_method(Recurrence recurrence = Recurrence::fused) {
  return {recurrence == Recurrence::fused ? "cg" : "cg, classical",
          [=](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
              SolverOptions options) {
            options.recurrence = recurrence;
            return cg(exec, make_distributed_operator<S>(exec, A, transport), b, x, options);
          },
          [=](auto const& A, auto const& b, auto const& x, SolverOptions options) {
            options.recurrence = recurrence;
            options.execution = Execution::launches;
            return cg(Space(), A, b, x, options);
          }};
}
template <class S>
Method<S> bicgstab_method() {
  return {"bicgstab",
          [](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
             auto const& options) {
            return bicgstab(exec, make_distributed_operator<S>(exec, A, transport), b, x, options);
          },
          [](auto const& A, auto const& b, auto const& x, auto const& options) {
            return bicgstab(Space(), A, b, x, options);
          }};
}
/// make(exec, A): the preconditioner of a Csr. On ranks it is that of the local part.
template <class S, class Make>
Method<S> pcg_method(std::string const& name, Make const& make) {
  return {name,
          [make](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
                 auto const& options) {
            return pcg(exec, make_distributed_operator<S>(exec, A, transport), make(exec, A.local), b, x,
                       options);
          },
          [make](auto const& A, auto const& b, auto const& x, auto const& options) {
            return pcg(Space(), A, make(Space(), A), b, x, options);
          }};
}
template <class S>
Method<S> gmres_method(int restart) {
  return {"gmres, restart " + std::to_string(restart),
          [=](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
              SolverOptions options) {
            options.restart = restart;
            return gmres(exec, make_distributed_operator<S>(exec, A, transport), b, x, options);
          },
          [=](auto const& A, auto const& b, auto const& x, SolverOptions options) {
            options.restart = restart;
            return gmres(Space(), A, b, x, options);
          }};
}
/// jacobi within gmres(), or block Jacobi within fgmres().
template <class S>
Method<S> preconditioned_gmres_method(bool is_flexible) {
  return {is_flexible ? "fgmres, block Jacobi" : "gmres, jacobi",
          [=](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
              auto const& options) {
            auto const op = make_distributed_operator<S>(exec, A, transport);
            return is_flexible ? fgmres(exec, op, block_jacobi(exec, A.local), b, x, options)
                               : gmres(exec, op, jacobi(exec, A.local), b, x, options);
          },
          [=](auto const& A, auto const& b, auto const& x, auto const& options) {
            return is_flexible ? fgmres(Space(), A, block_jacobi(Space(), A), b, x, options)
                               : gmres(Space(), A, jacobi(Space(), A), b, x, options);
          }};
}
Method<double> richardson_method() {
  return {
      "richardson, jacobi",
      [](auto const& exec, auto const& A, auto const& transport, auto const&... rest) {
        auto const op = make_distributed_operator<double>(exec, A, transport);
        return richardson(exec, op, jacobi(exec, A.local), rest...);
      },
      [](auto const& A, auto const&... rest) { return richardson(Space(), A, jacobi(Space(), A), rest...); }};
}
template <class S, class Make>
Method<S> preconditioned_bicgstab_method(std::string const& name, Make const& make) {
  return {name,
          [make](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
                 auto const& options) {
            return bicgstab(exec, make_distributed_operator<S>(exec, A, transport), make(exec, A.local), b, x,
                            options);
          },
          [make](auto const& A, auto const& b, auto const& x, auto const& options) {
            return bicgstab(Space(), A, make(Space(), A), b, x, options);
          }};
}

/// Block Jacobi, for which pcg() uses the beta of a variable preconditioner.
struct VariableM : decltype(block_jacobi(Space(), Csr<double, int, int, Device>())) {
  static constexpr bool is_variable = true;
};
auto const variable = [](auto const& exec, auto const& A) { return VariableM{block_jacobi(exec, A)}; };

/// On every rank the same report, whose residual is that of the x of all ranks and within the target; with one rank the
/// bits of the solve without communication, except CG on a GPU: its updates add the partial sums there (cg/prologue.hpp),
/// in another order. With more ranks about as many iterations.
template <class S>
void expect_solves(System<S> const& system, Method<S> const& method) {
  auto const b = system.b(), x0 = std::vector<S>(b.size());
  SolverOptions options;
  options.tolerance = 1e-9;
  options.replace_every = 20;
  auto const alone = solved([&](auto const&... given) { return method.on_one(system.A.on_device(), given...); },
                            b, x0, options);
  ASSERT_TRUE(alone.report.converged());
  auto const solve = [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in,
                         auto const& x) { return method.on_ranks(exec, A, transport, b_in, x, options); };
  for (auto const& blocks : some_blocks(b.size())) {
    SCOPED_TRACE(method.name + ", " + system.name + ", " + std::to_string(blocks.num_ranks()) + " ranks");
    auto const got = solved_on_ranks(system.A, blocks, b, x0, solve);
    auto const& report = got.reports[0];
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_LE(report.residual, options.tolerance * norm(b) * (1 + 1e-12));
    EXPECT_NEAR(report.residual, true_residual(system.A, b, got.x),
                1e-13 * (infinity_norm(system.A) * norm(got.x) + norm(b)));
    for (auto const& other : got.reports) {
      EXPECT_EQ(other.iterations, report.iterations);
      EXPECT_EQ(other.residual, report.residual);
      EXPECT_EQ(other.recursive_residual, report.recursive_residual);
    }
    if (blocks.num_ranks() == 1) {
      EXPECT_EQ(report.iterations, alone.report.iterations);
      EXPECT_TRUE((is_gpu<Space> && method.name.starts_with("cg")) || same_numbers(got.x, alone.x));
    } else {
      auto const most = alone.report.iterations + alone.report.iterations / 5 + 2;
      EXPECT_LE(report.iterations, most);
    }
  }
}

template <class S>
class DistributedSolve : public testing::Test {};
using Scalars = TestTypes<double, Complex>;
TYPED_TEST_SUITE(DistributedSolve, Scalars);

TYPED_TEST(DistributedSolve, Cg) {
  using S = TypeParam;
  for (auto const& system : {as<S>(lattice(100)), as<S>(lattice(9, 10, 11)), as<S>(rotated_spectrum(48, 1e3))})
    expect_solves(system, cg_method<S>());
}
TYPED_TEST(DistributedSolve, PcgWithJacobi) {
  using S = TypeParam;
  for (auto const& system : {badly_scaled(as<S>(lattice(25, 30))), badly_scaled(as<S>(lattice(100)))})
    expect_solves(system, pcg_method<S>("pcg, jacobi", jacobi));
}
TYPED_TEST(DistributedSolve, Bicgstab) {
  using S = TypeParam;
  expect_solves(as<S>(convection(20, 20, 0.3)), bicgstab_method<S>());
  expect_solves(dominant<S>(300, 1.5), bicgstab_method<S>());
}
TYPED_TEST(DistributedSolve, Gmres) {
  using S = TypeParam;
  expect_solves(dominant<S>(300, 1.5), gmres_method<S>(20));
  expect_solves(as<S>(lattice(11)), gmres_method<S>(30));  // one cycle of 11 steps; ranks have fewer rows
}
TEST(DistributedSolveMore, PreconditionedGmres) {
  for (bool const is_flexible : {false, true})
    expect_solves(badly_scaled(lattice(12, 13)), preconditioned_gmres_method<double>(is_flexible));
}
TEST(DistributedSolveMore, PreconditionedBicgstabAndRichardson) {
  expect_solves(dominant<double>(300, 1.2), preconditioned_bicgstab_method<double>("bicgstab, jacobi", jacobi));
  expect_solves(dominant<double>(300, 1.5), richardson_method());
}
/// A preconditioner that the solver does not apply within its passes. Its blocks differ with the ranks.
TEST(DistributedSolveMore, PcgWithBlockJacobi) {
  expect_solves(badly_scaled(lattice(24, 24)), pcg_method<double>("pcg, block Jacobi", block_jacobi));
  expect_solves(badly_scaled(lattice(24, 24)), pcg_method<double>("pcg, variable", variable));
}
TEST(DistributedSolveMore, ClassicalCg) {
  expect_solves(lattice(25, 30), cg_method<double>(Recurrence::classical));
}

/// Jacobi as a scaling: one message per iteration with CG.
TYPED_TEST(DistributedSolve, CgOfTheScaledSystem) {
  using S = TypeParam;
  Method<S> const method{
      "cg, scaled",
      [](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
         auto const& options) {
        return cg(exec, make_jacobi_scaled<S>(exec, A, transport, ScaledSides::both), b, x, options);
      },
      [](auto const& A, auto const& b, auto const& x, auto options) {
        options.execution = Execution::launches;
        auto const op = make_jacobi_scaled(Space(), A, ScaledSides::both,
                                           [](auto const& B) { return make_operator<S>(Space(), B); });
        return cg(Space(), op, b, x, options);
      }};
  expect_solves(badly_scaled(as<S>(lattice(25, 30))), method);
}
TEST(DistributedSolveMore, BicgstabOfTheScaledSystem) {
  Method<double> const method{
      "bicgstab, scaled",
      [](auto const& exec, auto const& A, auto const& transport, auto const& b, auto const& x,
         auto const& options) {
        return bicgstab(exec, make_jacobi_scaled<double>(exec, A, transport, ScaledSides::right), b, x,
                        options);
      },
      [](auto const& A, auto const& b, auto const& x, auto const& options) {
        auto const op = make_jacobi_scaled(Space(), A, ScaledSides::right,
                                           [](auto const& B) { return make_operator<double>(Space(), B); });
        return bicgstab(Space(), op, b, x, options);
      }};
  expect_solves(dominant<double>(300, 1.2), method);
}

/// A loopback that counts the exchanges and the gathers of this rank.
class CountingTransport final : public Transport<Space> {
 public:
  struct Counts {
    int exchanges = 0, gathers = 0;
  };
  explicit CountingTransport(std::shared_ptr<Transport<Space>> inner)
      : Transport<Space>(inner->communicator()), inner_(std::move(inner)) {}
  [[nodiscard]] Counts const& counts() const { return counts_; }
  [[nodiscard]] std::string name() const override { return "counting"; }
  [[nodiscard]] std::unique_ptr<HaloChannel<Space>> open_halo(Space const& exec, HaloMessages const& messages,
                                                              std::size_t entry_bytes) override {
    return std::make_unique<Halo>(inner_->open_halo(exec, messages, entry_bytes), counts_);
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Space>> open_gather(Space const& exec, int max_count) override {
    return std::make_unique<Gather>(inner_->open_gather(exec, max_count), counts_);
  }

 private:
  struct Halo final : HaloChannel<Space> {
    Halo(std::unique_ptr<HaloChannel<Space>> inner, Counts& counts)
        : inner_(std::move(inner)), counts_(counts) {}
    [[nodiscard]] void* send_buffer() const override { return inner_->send_buffer(); }
    [[nodiscard]] void const* ghost_buffer() const override { return inner_->ghost_buffer(); }
    void start(Space const& exec) override {
      ++counts_.exchanges;
      inner_->start(exec);
    }
    void finish(Space const& exec) override { inner_->finish(exec); }
    std::unique_ptr<HaloChannel<Space>> inner_;
    Counts& counts_;
  };
  struct Gather final : GatherChannel<Space> {
    Gather(std::unique_ptr<GatherChannel<Space>> inner, Counts& counts)
        : inner_(std::move(inner)), counts_(counts) {}
    [[nodiscard]] double* mine() const override { return inner_->mine(); }
    [[nodiscard]] double const* all() const override { return inner_->all(); }
    void gather(Space const& exec, int first, int count) override {
      ++counts_.gathers;
      inner_->gather(exec, first, count);
    }
    std::unique_ptr<GatherChannel<Space>> inner_;
    Counts& counts_;
  };

  std::shared_ptr<Transport<Space>> inner_;
  Counts counts_;
};

/// CG, also of the scaled system, and Richardson send one message of sums per iteration; the others two.
TEST(DistributedSolveMore, MessagesPerIteration) {
  auto const system = badly_scaled(lattice(25, 30));
  auto const b = system.b();
  auto const counts_of = [&](auto const& solve, int iterations) {
    CountingTransport::Counts counts;
    (void)solved_on_ranks(
        system.A, RowBlocks::uniform(static_cast<std::int64_t>(b.size()), 2), b, std::vector<double>(b.size()),
        [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in, auto const& x) {
          SolverOptions options;
          options.tolerance = 0;
          options.replace_every = 0;
          options.max_iterations = iterations;
          auto const counting = std::make_shared<CountingTransport>(transport);
          auto const report = solve(exec, A, std::shared_ptr<Transport<Space>>(counting), b_in, x, options);
          EXPECT_EQ(report.iterations, iterations);
          if (A.communicator.rank() == 0) counts = counting->counts();
          return report;
        });
    return counts;
  };
  auto const expect_counts = [&](char const* name, int exchanges, int gathers, auto const& solve) {
    SCOPED_TRACE(name);
    auto const few = counts_of(solve, 10), more = counts_of(solve, 30);
    EXPECT_EQ(more.exchanges - few.exchanges, 20 * exchanges);
    EXPECT_EQ(more.gathers - few.gathers, 20 * gathers);
  };
  expect_counts("cg", 1, 1, cg_method<double>().on_ranks);
  expect_counts("cg, scaled", 1, 1,
                [](auto const& exec, auto const& A, auto const& transport, auto const&... rest) {
                  return cg(exec, make_jacobi_scaled<double>(exec, A, transport, ScaledSides::both), rest...);
                });
  expect_counts("pcg, jacobi", 1, 2, pcg_method<double>("", jacobi).on_ranks);
  expect_counts("pcg, block Jacobi", 1, 2, pcg_method<double>("", block_jacobi).on_ranks);
  expect_counts("pcg, variable", 1, 2, pcg_method<double>("", variable).on_ranks);
  expect_counts("bicgstab", 2, 2, bicgstab_method<double>().on_ranks);
  expect_counts("richardson", 1, 1, richardson_method().on_ranks);
  expect_counts("gmres", 1, 2, gmres_method<double>(100).on_ranks);
}

/// Neither the delays of messages nor the repetition change a bit.
TEST(DistributedSolveMore, RepeatableWithDelays) {
  auto const system = lattice(9, 10, 11);
  auto const b = system.b();
  SolverOptions options;
  options.keep_history = true;
  for (auto const& method : {cg_method<double>(), pcg_method<double>("pcg", jacobi), bicgstab_method<double>(),
                             gmres_method<double>(15)}) {
    SCOPED_TRACE(method.name);
    auto const solve = [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in,
                           auto const& x) { return method.on_ranks(exec, A, transport, b_in, x, options); };
    auto const blocks = RowBlocks::uniform(static_cast<std::int64_t>(b.size()), 3);
    auto const first = solved_on_ranks(system.A, blocks, b, std::vector<double>(b.size()), solve);
    EXPECT_EQ(first.reports[0].history.size(), static_cast<std::size_t>(first.reports[0].iterations) + 1);
    LoopbackOptions slow = poisoned();
    slow.max_delay_us = 50;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      slow.seed = seed;
      auto const again = solved_on_ranks(system.A, blocks, b, std::vector<double>(b.size()), solve, slow);
      EXPECT_TRUE(same_numbers(again.x, first.x));
      for (auto const& report : again.reports)
        EXPECT_TRUE(same_numbers(report.history, first.reports[0].history));
    }
  }
}

/// New values in the same operator.
TEST(DistributedSolveMore, UpdatedValues) {
  auto system = lattice(12, 13);
  auto doubled = system;
  for (auto& value : doubled.A.values) value *= 2;
  auto const b = system.b();
  for (auto const& blocks : some_blocks(b.size())) {
    auto const got = solved_on_ranks(
        system.A, blocks, b, std::vector<double>(b.size()),
        [&](auto const& exec, auto const& A, auto const& transport, auto const& b_in, auto const& x) {
          auto const op = make_distributed_operator<double>(exec, A, transport);
          (void)cg(exec, op, b_in, x);
          int const rank = A.communicator.rank();
          auto const first = doubled.A.begin(static_cast<std::size_t>(blocks.begin(rank))),
                     last = doubled.A.begin(static_cast<std::size_t>(blocks.end(rank)));
          auto const& values = doubled.A.values;
          update_values(exec, A,
                        to_device(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                                      values.begin() + static_cast<std::ptrdiff_t>(last))));
          return cg(exec, op, b_in, x);
        });
    EXPECT_TRUE(got.reports[0].converged());
    EXPECT_LE(true_residual(doubled.A, b, got.x), 1.001e-8 * norm(b));
  }
}

}  // namespace
}  // namespace einkorn::test
