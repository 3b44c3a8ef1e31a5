// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Invalid arguments of solvers: exceptions, their messages, and an unchanged x.

#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "systems.hpp"
#include "user_operator.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Device>;
using Operator = UserOperator<double>;

Operator operator_of(int rows, int cols) {
  std::vector<std::vector<double>> dense(static_cast<std::size_t>(rows),
                                         std::vector<double>(static_cast<std::size_t>(cols)));
  for (std::size_t i = 0; i < dense.size() && i < static_cast<std::size_t>(cols); ++i) dense[i][i] = 2;
  return {from_dense(dense, static_cast<std::size_t>(cols)).on_device()};
}

/// A solver on b and x with a workspace for 6 unknowns, or one of its own.
struct SolverCall {
  std::string name;
  std::function<void(Operator const&, Strided const& b, Strided const& x, SolverOptions const&,
                     bool own_workspace)>
      solve;
};

std::vector<SolverCall> solver_calls() {
  auto const six = [] { return operator_of(6, 6); };
  return {
      {"cg",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
           bool own_workspace) {
         if (own_workspace)
           cg(Space(), A, b, x, options);
         else
           cg(Space(), A, b, x, options, CgWorkspace<double, Space>(Space(), six()));
       }},
      {"pcg",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
           bool own_workspace) {
         UserDiagonal<double> const M(std::vector<double>(6, 0.5));
         if (own_workspace)
           pcg(Space(), A, M, b, x, options);
         else
           pcg(Space(), A, M, b, x, options, CgWorkspace<double, Space>(Space(), six(), M, {}));
       }},
      {"bicgstab",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
           bool own_workspace) {
         if (own_workspace)
           bicgstab(Space(), A, b, x, options);
         else
           bicgstab(Space(), A, b, x, options, BicgstabWorkspace<double, Space>(Space(), six()));
       }},
      {"bicgstab",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
           bool own_workspace) {
         UserDiagonal<double> const M(std::vector<double>(6, 0.5));
         if (own_workspace)
           bicgstab(Space(), A, M, b, x, options);
         else
           bicgstab(Space(), A, M, b, x, options, BicgstabWorkspace<double, Space>(Space(), six(), {}, true));
       }},
  };
}

/// Every solver throws Kind with these words and leaves `memory`, which contains x, unchanged.
template <class Kind, class Memory>
void expect_refused(Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
                    std::vector<std::string> const& words, Memory const& memory) {
  auto const before = to_host(memory);
  for (auto const& call : solver_calls())
    for (bool const own_workspace : {true, false}) {
      EXPECT_TRUE(throws<Kind>([&] { call.solve(A, b, x, options, own_workspace); }, words))
          << call.name << (own_workspace ? ", workspace of its own" : "");
      EXPECT_TRUE(same_numbers(to_host(memory), before));
    }
}
template <class Kind>
void expect_refused(Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
                    std::vector<std::string> const& words) {
  expect_refused<Kind>(A, b, x, options, words, x);
}

class SolverArguments : public testing::Test {
 protected:
  Operator const A = operator_of(6, 6);
  Vector const b = to_device(std::vector<double>(6, 1.0)), x = to_device(numbers<double>(Numbers::reals, 6, 1));
};

TEST_F(SolverArguments, ValidArguments) {
  for (auto const& call : solver_calls())
    for (bool const own_workspace : {true, false}) {
      auto const y = to_device(std::vector<double>(6));
      call.solve(A, b, y, {}, own_workspace);
      EXPECT_EQ(to_host(y), std::vector<double>(6, 0.5));
    }
}

TEST_F(SolverArguments, NonSquareMatrix) {
  expect_refused<DimensionMismatch>(operator_of(6, 5), b, x, {}, {": A is 6 x 5, expected a square matrix"});
  expect_refused<DimensionMismatch>(operator_of(5, 6), b, x, {}, {"A is 5 x 6, expected a square matrix"});
  // With a plan, whose fused product checks the shapes of its vectors itself.
  auto const wide = operator_of(5, 6).A, tall = operator_of(6, 5).A;
  for (auto const& its : {wide, tall}) {
    EXPECT_TRUE(throws<DimensionMismatch>([&] { cg(Space(), its, b, x); }, {"expected a square matrix"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { bicgstab(Space(), its, b, x); }, {"expected a square matrix"}));
  }
}

TEST_F(SolverArguments, WrongVectorLength) {
  auto const shorter = to_device(std::vector<double>(5, 1.0)), longer = to_device(std::vector<double>(7, 1.0));
  for (auto const& its : {shorter, longer}) {
    auto const length = std::to_string(its.extent(0));
    expect_refused<DimensionMismatch>(A, its, x, {}, {"b has " + length + " entries, expected 6 (rows of A)"});
    expect_refused<DimensionMismatch>(A, b, its, {},
                                      {"x has " + length + " entries, expected 6 (columns of A)"});
  }
}

TEST_F(SolverArguments, WrongWorkspaceSize) {
  auto const four = operator_of(4, 4);
  CgWorkspace<double, Space> const workspace(Space(), four);
  BicgstabWorkspace<double, Space> const second_workspace(Space(), four);
  std::vector<std::string> const words{"the workspace was made for 4 rows, A has 6"};
  EXPECT_TRUE(throws<DimensionMismatch>([&] { cg(Space(), A, b, x, {}, workspace); }, words));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { bicgstab(Space(), A, b, x, {}, second_workspace); }, words));
}

TEST_F(SolverArguments, WorkspaceWithoutPreconditioner) {
  UserDiagonal<double> const M(std::vector<double>(6, 0.5));
  CgWorkspace<double, Space> const workspace(Space(), A);
  BicgstabWorkspace<double, Space> const second_workspace(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { pcg(Space(), A, M, b, x, {}, workspace); }, {"preconditioner"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), A, M, b, x, {}, second_workspace); },
                                      {"preconditioner"}));
}

TEST_F(SolverArguments, Overlap) {
  expect_refused<InvalidArgument>(A, b, b, {}, {"b and x overlap in memory"});
  auto const both = to_device(numbers<double>(Numbers::reals, 11, 1));
  expect_refused<InvalidArgument>(A, Kokkos::subview(both, std::pair(0, 6)),
                                  Kokkos::subview(both, std::pair(5, 11)), {}, {"overlap"});
}

TEST_F(SolverArguments, StridedVectors) {
  auto const many = to_device(numbers<double>(Numbers::reals, 12, 1));
  Strided const every_second(many.data(), Kokkos::LayoutStride(6, 2));
  expect_refused<InvalidArgument>(A, every_second, x, {}, {"contiguous"});
  expect_refused<InvalidArgument>(A, b, every_second, {}, {"contiguous"}, many);
}

TEST_F(SolverArguments, InvalidOptions) {
  double const nan = not_a_number<double>(), infinity = std::numeric_limits<double>::infinity();
  for (double const bad : {-1e-8, nan, infinity}) {
    expect_refused<InvalidArgument>(A, b, x, {.tolerance = bad}, {"tolerance must be finite and not negative"});
    expect_refused<InvalidArgument>(A, b, x, {.absolute_tolerance = bad}, {"absolute_tolerance"});
  }
  expect_refused<InvalidArgument>(A, b, x, {.max_iterations = -1}, {"max_iterations"});
  expect_refused<InvalidArgument>(A, b, x, {.replace_every = -1}, {"replace_every"});
  expect_refused<InvalidArgument>(A, b, x, {.max_stalls = -1}, {"max_stalls"});
  for (double const bad : {0.5, -1.0, nan})
    expect_refused<InvalidArgument>(A, b, x, {.divergence_factor = bad}, {"divergence_factor"});
  expect_refused<InvalidArgument>(A, b, x, {.run_ahead = 0}, {"run_ahead"});
}

/// The operator has no fused product; a preconditioner with apply() only may do what a graph cannot hold.
TEST_F(SolverArguments, UnsupportedGraph) {
  SolverOptions options;
  options.execution = Execution::graph;
  expect_refused<InvalidArgument>(A, b, x, options, {"Execution::graph"});
  auto const before = to_host(x);
  auto const fused_operator = make_operator<double>(Space(), A.A);
  std::vector<std::string> const words{"Execution::graph"};
  UserDiagonal<double> const M(std::vector<double>(6, 0.5));
  EXPECT_TRUE(throws<InvalidArgument>([&] { pcg(Space(), fused_operator, M, b, x, options); }, words));
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), fused_operator, M, b, x, options); }, words));
  EXPECT_EQ(to_host(x), before);
}

/// The operator has no fused product; PCG, BiCGStab and the classical recurrence have no persistent loop.
TEST_F(SolverArguments, UnsupportedPersistent) {
  SolverOptions options;
  options.execution = Execution::persistent;
  expect_refused<InvalidArgument>(A, b, x, options, {"Execution::persistent"});
  auto const before = to_host(x);
  auto const by_rows = SpmvOperator(make_spmv_plan(Space(), A.A, {.algorithm = SpmvAlgorithm::row_team}));
  std::vector<std::string> const words{"Execution::persistent"};
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), by_rows, b, x, options); }, words));
  UserDiagonal<double> const M(std::vector<double>(6, 0.5));
  EXPECT_TRUE(throws<InvalidArgument>([&] { pcg(Space(), by_rows, M, b, x, options); }, words));
  options.recurrence = Recurrence::classical;
  EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), by_rows, b, x, options); }, words));
  options.recurrence = Recurrence::fused;
  options.callback = [](std::int64_t, double) { return true; };
  EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), by_rows, b, x, options); }, words));
  EXPECT_EQ(to_host(x), before);
  options.callback = {};
  if (is_cooperative<Space>) {
    EXPECT_TRUE(cg(Space(), by_rows, b, x, options).converged());
  }
}

}  // namespace
}  // namespace einkorn::test
