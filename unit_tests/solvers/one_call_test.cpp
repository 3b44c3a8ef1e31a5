// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Two concurrent solves with one workspace are detected without NDEBUG, as in this executable.

#undef NDEBUG

#include "../support/host_matrix.hpp"
#include "../support/throws.hpp"
#include "../support/types.hpp"
#include "user_operator.hpp"

#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;

Csr<double, int, int, Device> tridiagonal() {
  HostMatrix<double> A{20, 20, {0}, {}, {}};
  for (int i = 0; i < 20; ++i) {
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < 20) {
        A.columns.push_back(j);
        A.values.push_back(i == j ? 3.0 : -1.0);
      }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  return A.on_device();
}

/// solve(options, workspace, x) twice: the second within the callback of the first, which goes on.
template <class Workspace, class Solve>
void expect_guarded(Workspace const& workspace, SolverOptions options, Solve const& solve) {
  int calls = 0;
  Vector const x("x", 20), other("other", 20);
  options.callback = [&](std::int64_t, double) {
    ++calls;
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { (void)solve(SolverOptions(), Workspace(workspace), other); },
                                {"another call with this workspace", "make a workspace for each thread"}));
    return true;
  };
  EXPECT_EQ(solve(options, workspace, x).outcome, Outcome::converged);
  EXPECT_GT(calls, 0);
  options.callback = {};
  EXPECT_EQ(solve(options, workspace, other).outcome, Outcome::converged) << "after the first";
}

TEST(OneCall, SecondSolveThrows) {
  UserOperator<double> const A{tridiagonal()};
  Vector const b("b", 20);
  Kokkos::deep_copy(b, 1.0);
  SolverOptions options;
  options.callback = [](std::int64_t, double) { return true; };
  expect_guarded(CgWorkspace<double, Space>(Space(), A, options), options,
                 [&](auto const& given, auto const& workspace, auto const& x) {
                   return cg(Space(), A, b, x, given, workspace);
                 });
  expect_guarded(BicgstabWorkspace<double, Space>(Space(), A, options), options,
                 [&](auto const& given, auto const& workspace, auto const& x) {
                   return bicgstab(Space(), A, b, x, given, workspace);
                 });
}

}  // namespace
}  // namespace einkorn::test
