// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Deviation of the recursive residual from b - A x for a condition number of 1e8.

#include "../support/near.hpp"
#include "cg_tests.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

/// Keeps x and what was in r at its latest apply(): at the end of a solve the solver forms b - A x once more,
/// and r is the recursive residual until then.
struct Recorder {
  SpmvOperator<SpmvPlan<Csr<double, int, int, Device>, double>> A;
  Kokkos::View<double*, Device> r, latest_r, latest_x;

  [[nodiscard]] std::size_t num_rows() const { return A.num_rows(); }
  [[nodiscard]] std::size_t num_cols() const { return A.num_cols(); }
  template <class X, class Y>
  void apply(Space const& exec, X const& x, Y const& y) const {
    if (r.data() != nullptr) {
      Kokkos::deep_copy(exec, latest_r, r);
      Kokkos::deep_copy(exec, latest_x, x);
    }
    A.apply(exec, x, y);
  }
};

/// |b - A x - r| over eps (|A| |x| + |b|), r the recursive residual after `iterations`.
template <class Workspace, class Solve>
double deviation(System<double> const& system, std::int64_t iterations, SolverOptions options,
                 Solve const& solve) {
  auto const b = system.b();
  auto const x = to_device(std::vector<double>(b.size()));
  Recorder a{make_operator<double>(Space(), system.A.on_device()), {}, to_device(b), to_device(b)};
  options.tolerance = 0;
  options.max_iterations = iterations;
  options.divergence_factor = 1e100;
  Workspace const workspace(Space(), a, options);
  a.r = workspace.r();

  auto const report = solve(a, to_device(b), x, options, workspace);

  EXPECT_EQ(report.outcome, Outcome::iteration_limit);
  EXPECT_EQ(report.iterations, iterations);
  auto const r = to_host(a.latest_r), end = to_host(a.latest_x);
  EXPECT_NEAR(norm(r), report.recursive_residual, 1e-12 * norm(r));
  auto const products = row_sums<double>(system.A, end);
  long double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    auto const d = b[i] - products.sum[i] - r[i];
    sum += d * d;
  }
  return static_cast<double>(std::sqrt(sum)) /
         (std::numeric_limits<double>::epsilon() * (infinity_norm(system.A) * norm(end) + norm(b)));
}

System<double> ill_conditioned() {
  auto system = lattice(15707);
  EXPECT_NEAR(system.kappa, 1e8, 1e5);
  return system;
}

/// In units of eps (|A| |x| + |b|), after k iterations of CG (fused and classical alike) and BiCGStab, OpenMP:
///
/// (BiCGStab keeps its r unless b - A x deviates from it.)
///
/// | k | replaced every 50: CG | never: CG | never: BiCGStab |
/// |---|---|---|---|
/// | 10 | 0.2 | 0.2 | 0.2 |
/// | 100 | 0.6 | 0.7 | 0.6 |
/// | 1 000 | 0.9 | 2.2 | 2.2 |
/// | 10 000 | 0.9 | 8.7 | 41 |
///
/// Without replacement it grows as the square root of k where residuals stay small on the way, and with the
/// largest of them where they do not; with it, it is what one replacement's interval allows.
constexpr double most = 5;

TEST(Replacement, KeepsResidualOfCgAccurate) {
  auto const system = ill_conditioned();
  auto const solve = [](auto const&... arguments) { return cg(Space(), arguments...); };
  for (auto const recurrence : {Recurrence::fused, Recurrence::classical}) {
    SolverOptions options;
    options.recurrence = recurrence;
    double replaced = 0;
    for (std::int64_t const iterations : {10, 100, 1000}) {
      replaced = deviation<CgWorkspace<double, Space>>(system, iterations, options, solve);
      EXPECT_LE(replaced, most) << iterations;
    }
    options.replace_every = 0;
    auto const never = deviation<CgWorkspace<double, Space>>(system, 1000, options, solve);
    EXPECT_GT(never, 1.5 * replaced) << "then replacement was for nothing";
    EXPECT_LE(never, 1000.0 * 10);
  }
}

TEST(Replacement, KeepsResidualOfBicgstabAccurate) {
  auto const system = ill_conditioned();
  auto const solve = [](auto const&... arguments) { return bicgstab(Space(), arguments...); };
  for (std::int64_t const iterations : {10, 100, 1000})
    EXPECT_LE((deviation<BicgstabWorkspace<double, Space>>(system, iterations, {}, solve)), most) << iterations;
}

/// The recording operator has no fused product and a cooperative launch no apply(): the norms are compared
/// instead. x is that of the recursive residual, or a better one.
TEST(Replacement, KeepsResidualOfPersistentCgAccurate) {
  if (!is_cooperative<Space>) GTEST_SKIP() << "threads of this space cannot meet";
  auto const system = ill_conditioned();
  SpmvOperator const a(make_spmv_plan(Space(), system.A.on_device(), {.algorithm = SpmvAlgorithm::row_team}));
  for (std::int64_t const iterations : {10, 100, 1000}) {
    SolverOptions const options{
        .tolerance = 0, .max_iterations = iterations, .execution = Execution::persistent};
    auto const [report, x] = solved([&](auto const& b, auto const& given_x,
                                        auto const& given) { return cg(Space(), a, b, given_x, given); },
                                    system.b(), options);
    double const unit =
        std::numeric_limits<double>::epsilon() * (infinity_norm(system.A) * norm(x) + norm(system.b()));
    EXPECT_LE(report.residual, report.recursive_residual + most * unit) << iterations;
  }
}

}  // namespace
}  // namespace einkorn::test
