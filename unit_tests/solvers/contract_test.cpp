// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// What solvers refuse, by name, before anything is changed.

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

/// What all solvers have in common: one on b and x, with room for 6 unknowns, or of its own.
struct Front {
  std::string name;
  std::function<void(Operator const&, Strided const& b, Strided const& x, SolverOptions const&, bool own_room)>
      solve;
};

std::vector<Front> fronts() {
  auto const six = [] { return operator_of(6, 6); };
  return {
      {"cg",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options, bool own_room) {
         if (own_room)
           cg(Space(), A, b, x, options);
         else
           cg(Space(), A, b, x, options, CgWorkspace<double, Space>(Space(), six()));
       }},
      {"pcg",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options, bool own_room) {
         UserDiagonal<double> const M(std::vector<double>(6, 0.5));
         if (own_room)
           pcg(Space(), A, M, b, x, options);
         else
           pcg(Space(), A, M, b, x, options, CgWorkspace<double, Space>(Space(), six(), M, {}));
       }},
      {"bicgstab",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options, bool own_room) {
         if (own_room)
           bicgstab(Space(), A, b, x, options);
         else
           bicgstab(Space(), A, b, x, options, BicgstabWorkspace<double, Space>(Space(), six()));
       }},
      {"bicgstab",
       [=](Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options, bool own_room) {
         UserDiagonal<double> const M(std::vector<double>(6, 0.5));
         if (own_room)
           bicgstab(Space(), A, M, b, x, options);
         else
           bicgstab(Space(), A, M, b, x, options, BicgstabWorkspace<double, Space>(Space(), six(), {}, true));
       }},
  };
}

/// A call throws Kind with these words, and `memory`, which x is of, is what it was.
template <class Kind, class Memory>
void expect_refused(Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
                    std::vector<std::string> const& words, Memory const& memory) {
  auto const before = to_host(memory);
  for (auto const& front : fronts())
    for (bool const own_room : {true, false}) {
      EXPECT_TRUE(throws<Kind>([&] { front.solve(A, b, x, options, own_room); }, words))
          << front.name << (own_room ? ", room of its own" : "");
      EXPECT_TRUE(same_numbers(to_host(memory), before));
    }
}
template <class Kind>
void expect_refused(Operator const& A, Strided const& b, Strided const& x, SolverOptions const& options,
                    std::vector<std::string> const& words) {
  expect_refused<Kind>(A, b, x, options, words, x);
}

class SolversRefuse : public testing::Test {
 protected:
  Operator const A = operator_of(6, 6);
  Vector const b = to_device(std::vector<double>(6, 1.0)), x = to_device(numbers<double>(Numbers::reals, 6, 1));
};

TEST_F(SolversRefuse, WhatIsNoRefusal) {
  for (auto const& front : fronts())
    for (bool const own_room : {true, false}) {
      auto const y = to_device(std::vector<double>(6));
      front.solve(A, b, y, {}, own_room);
      EXPECT_EQ(to_host(y), std::vector<double>(6, 0.5));
    }
}

TEST_F(SolversRefuse, AMatrixThatIsNotSquare) {
  expect_refused<DimensionMismatch>(operator_of(6, 5), b, x, {}, {": A is 6 x 5, expected a square matrix"});
  expect_refused<DimensionMismatch>(operator_of(5, 6), b, x, {}, {"A is 5 x 6, expected a square matrix"});
  // Behind a plan, whose sweep has its own idea of the shapes of its vectors.
  auto const wide = operator_of(5, 6).A, tall = operator_of(6, 5).A;
  for (auto const& its : {wide, tall}) {
    EXPECT_TRUE(throws<DimensionMismatch>([&] { cg(Space(), its, b, x); }, {"expected a square matrix"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { bicgstab(Space(), its, b, x); }, {"expected a square matrix"}));
  }
}

TEST_F(SolversRefuse, VectorsOfTheWrongLength) {
  auto const shorter = to_device(std::vector<double>(5, 1.0)), longer = to_device(std::vector<double>(7, 1.0));
  for (auto const& its : {shorter, longer}) {
    auto const length = std::to_string(its.extent(0));
    expect_refused<DimensionMismatch>(A, its, x, {}, {"b has " + length + " entries, expected 6 (rows of A)"});
    expect_refused<DimensionMismatch>(A, b, its, {},
                                      {"x has " + length + " entries, expected 6 (columns of A)"});
  }
}

TEST_F(SolversRefuse, AWorkspaceOfAnotherSize) {
  auto const four = operator_of(4, 4);
  CgWorkspace<double, Space> const room(Space(), four);
  BicgstabWorkspace<double, Space> const its_room(Space(), four);
  std::vector<std::string> const words{"the workspace was made for 4 rows, A has 6"};
  EXPECT_TRUE(throws<DimensionMismatch>([&] { cg(Space(), A, b, x, {}, room); }, words));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { bicgstab(Space(), A, b, x, {}, its_room); }, words));
}

TEST_F(SolversRefuse, AWorkspaceThatWasMadeWithoutThePreconditioner) {
  UserDiagonal<double> const M(std::vector<double>(6, 0.5));
  CgWorkspace<double, Space> const room(Space(), A);
  BicgstabWorkspace<double, Space> const its_room(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { pcg(Space(), A, M, b, x, {}, room); }, {"preconditioner"}));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { bicgstab(Space(), A, M, b, x, {}, its_room); }, {"preconditioner"}));
}

TEST_F(SolversRefuse, BAndXThatOverlap) {
  expect_refused<InvalidArgument>(A, b, b, {}, {"b and x overlap in memory"});
  auto const both = to_device(numbers<double>(Numbers::reals, 11, 1));
  expect_refused<InvalidArgument>(A, Kokkos::subview(both, std::pair(0, 6)),
                                  Kokkos::subview(both, std::pair(5, 11)), {}, {"overlap"});
}

TEST_F(SolversRefuse, VectorsThatAreNotContiguous) {
  auto const many = to_device(numbers<double>(Numbers::reals, 12, 1));
  Strided const every_second(many.data(), Kokkos::LayoutStride(6, 2));
  expect_refused<InvalidArgument>(A, every_second, x, {}, {"contiguous"});
  expect_refused<InvalidArgument>(A, b, every_second, {}, {"contiguous"}, many);
}

TEST_F(SolversRefuse, OptionsThatMakeNoSense) {
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

/// The operator has no sweep; a preconditioner that only applies itself may do what no graph can hold.
TEST_F(SolversRefuse, AGraphWhereThereIsNone) {
  SolverOptions options;
  options.execution = Execution::graph;
  expect_refused<InvalidArgument>(A, b, x, options, {"Execution::graph"});
  auto const before = to_host(x);
  auto const with_sweep = make_operator<double>(Space(), A.A);
  std::vector<std::string> const words{"Execution::graph"};
  UserDiagonal<double> const M(std::vector<double>(6, 0.5));
  EXPECT_TRUE(throws<InvalidArgument>([&] { pcg(Space(), with_sweep, M, b, x, options); }, words));
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), with_sweep, M, b, x, options); }, words));
  EXPECT_EQ(to_host(x), before);
}

/// The operator has no sweep; PCG, BiCGStab and classical scalars have no loop for one launch.
TEST_F(SolversRefuse, APersistentLaunchWhereThereIsNone) {
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
