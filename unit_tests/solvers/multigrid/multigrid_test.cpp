// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Multigrid of whole matrices as the preconditioner of CG: iterations, complexity, equal bits, update, status.

#include "../../support/host_matrix.hpp"
#include "../../support/throws.hpp"
#include "../../support/watch.hpp"
#include "systems.hpp"

#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/precond/multigrid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

TEST(Multigrid, IterationsDoNotGrowWithTheGrid) {
  for (auto const aggregation : {MultigridAggregation::automatic, MultigridAggregation::general}) {
    std::int64_t fewest = 1000;
    for (int const n : {16, 32, 48}) {
      auto const A = poisson(n).on_device();
      auto const M = make_multigrid(Space(), A, {.coarsest_rows = 30, .aggregation = aggregation});
      auto const solved = solve(A, M);
      EXPECT_EQ(M.status().outcome, Outcome::converged);
      EXPECT_TRUE(solved.report.converged()) << n;
      EXPECT_LE(solved.report.iterations, 16) << n;
      fewest = std::min(fewest, solved.report.iterations);
      EXPECT_LE(solved.report.iterations, fewest + (aggregation == MultigridAggregation::automatic ? 3 : 4))
          << n;
      EXPECT_LE(M.report().operator_complexity(), 1.6) << n;
      EXPECT_EQ(M.report().levels[0].has_boxes, aggregation == MultigridAggregation::automatic);
    }
  }
}

TEST(Multigrid, ConvergesForHardCoefficients) {
  auto const anisotropic =
      seven_point(24, [](int, int y, int, int, int Y, int) { return y == Y ? 1.0 : 1000.0; });
  for (auto const& host : {anisotropic, jumps(24, 1e3), jumps(24, 1e6)}) {
    auto const A = host.on_device();
    auto const solved = solve(A, make_multigrid(Space(), A));
    EXPECT_TRUE(solved.report.converged());
    EXPECT_LE(solved.report.iterations, 30);
  }
}

TEST(Multigrid, PreconditionsBicgstabOfConvectionAndDiffusion) {
  SolverOptions options;
  options.max_iterations = 100;
  for (double const peclet : {0.1, 0.5, 2.0}) {
    auto const A = convection(24, peclet).on_device();
    Kokkos::View<double*, Device> const b("b", 24 * 24 * 24), x("x", b.extent(0)), other("other", b.extent(0));
    Kokkos::deep_copy(b, 1.0);
    auto const M = make_multigrid(Space(), A);
    auto const report = bicgstab(Space(), A, M, b, x, options);
    EXPECT_TRUE(report.converged()) << peclet;
    EXPECT_LE(report.residual, options.tolerance * report.reference);
    auto const jacobi = bicgstab(Space(), A, make_jacobi(Space(), A), b, other, options);
    EXPECT_LT(2 * report.iterations, jacobi.iterations) << peclet;
  }
}

TEST(Multigrid, OperatorComplexityIsBounded) {
  auto const anisotropic =
      seven_point(20, [](int x, int, int, int X, int, int) { return x == X ? 1.0 : 1000.0; });
  for (auto const& host :
       {anisotropic, random_graph(1000, 8, 0), random_graph(1000, 8, 4), random_graph(400, 60, 0)}) {
    auto const A = host.on_device();
    for (double const limit : {1.6, 1.2, 1.02}) {
      auto M = make_multigrid(Space(), A, {.coarsest_rows = 20, .max_complexity = limit});
      EXPECT_LE(M.report().operator_complexity(), limit) << M.report().table();
      EXPECT_TRUE(solve(A, M).report.converged()) << M.report().table();
      auto const r = waves(host.rows(), 0.3), z = applied(M, r);
      M.update(Space(), A);
      EXPECT_EQ(applied(M, r), z);
    }
  }
}

/// A for each of 3 unknowns per point, consecutive and not coupled.
Host three_unknowns(Host const& A) {
  Host B{3 * A.num_rows, 3 * A.num_cols, {0}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (int c = 0; c < 3; ++c) {
      for (auto k = A.begin(i); k < A.end(i); ++k) {
        B.columns.push_back(3 * A.columns[k] + c);
        B.values.push_back(A.values[k]);
      }
      B.offsets.push_back(static_cast<int>(B.values.size()));
    }
  return B;
}

TEST(Multigrid, SolvesBlocksOfUnknownsAndTakesNearNullVectors) {
  int const n = 14;
  auto const A = three_unknowns(poisson(n)).on_device();
  MultigridOptions const options{.block_size = 3, .coarsest_rows = 100};
  auto const M = make_multigrid(Space(), A, options);
  auto const solved = solve(A, M);
  EXPECT_TRUE(solved.report.converged());
  EXPECT_LE(solved.report.iterations, 20);

  Kokkos::View<double**, Kokkos::LayoutRight, Device> const ones("ones", 3 * n * n * n, 3),
      points("points", n * n * n, 3);
  auto const host_ones = Kokkos::create_mirror_view(ones), host_points = Kokkos::create_mirror_view(points);
  for (int i = 0; i < n * n * n; ++i) {
    auto const node = static_cast<std::size_t>(i);
    for (std::size_t c = 0; c < 3; ++c) host_ones(3 * node + c, c) = 1;
    host_points(node, 0) = i % n;
    host_points(node, 1) = i / n % n;
    host_points(node, 2) = i / (n * n);
  }
  Kokkos::deep_copy(ones, host_ones);
  Kokkos::deep_copy(points, host_points);
  auto const r = waves(static_cast<std::size_t>(3 * n * n * n), 0.3);
  EXPECT_EQ(applied(make_multigrid(Space(), A, options, ones), r), applied(M, r));
  auto const elastic = solve(A, make_multigrid_elasticity(Space(), A, options, points));
  EXPECT_TRUE(elastic.report.converged());
  EXPECT_LE(elastic.report.iterations, 30);
}

TEST(Multigrid, EveryOptionConverges) {
  auto const A = poisson(20).on_device();
  for (MultigridOptions const& options :
       {MultigridOptions{.smoothed = false}, MultigridOptions{.smoother = MultigridSmoother::l1_jacobi},
        MultigridOptions{.degree = 1}, MultigridOptions{.degree = 4}, MultigridOptions{.coarsest_rows = 20},
        MultigridOptions{.max_levels = 1}, MultigridOptions{.max_levels = 2, .coarsest_rows = 1},
        MultigridOptions{.max_complexity = 1.0}, MultigridOptions{.box_width = 2}}) {
    auto const M = make_multigrid(Space(), A, options);
    EXPECT_TRUE(solve(A, M).report.converged()) << M.report().table();
    EXPECT_LE(M.report().levels.size(), static_cast<std::size_t>(options.max_levels));
  }
  EXPECT_TRUE(solve(A, make_multigrid<double>(Space(), A)).report.converged());
}

TEST(Multigrid, SmallMatricesAreInverted) {
  for (int const n : {1, 2, 5}) {
    auto const A = poisson(n).on_device();
    auto const M = make_multigrid<double>(Space(), A);
    EXPECT_EQ(M.report().levels.size(), 1u);
    auto const solved = solve(A, M);
    EXPECT_TRUE(solved.report.converged());
    EXPECT_LE(solved.report.iterations, 2);
  }
  auto const empty = make_multigrid(Space(), Host{0, 0, {0}, {}, {}}.on_device());
  EXPECT_EQ(empty.num_rows(), 0);
  EXPECT_TRUE(applied(empty, {}).empty());
}

TEST(Multigrid, IsSymmetricAndPositive) {
  auto const A = jumps(16, 100).on_device();
  auto const M = make_multigrid<double>(Space(), A, {.coarsest_rows = 30});
  auto const u = waves(4096, 0.7), v = waves(4096, 1.9);
  auto const Mu = applied(M, u), Mv = applied(M, v);
  EXPECT_NEAR(dot(u, Mv), dot(v, Mu), 1e-11 * std::sqrt(dot(u, Mu) * dot(v, Mv)));
  EXPECT_GT(dot(u, Mu), 0);
  EXPECT_GT(dot(v, Mv), 0);
}

#ifdef KOKKOS_ENABLE_OPENMP
/// body(OpenMP instance of one thread) if Exec is OpenMP. A template, so that another space does not compile body.
template <class Exec, class Body>
void with_one_thread(Exec const&, Body const& body) {
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) body(Exec(1));
}
#endif

TEST(Multigrid, GivesTheSameBits) {
  auto const A = jumps(20, 1e3).on_device();
  auto const r = waves(8000, 0.3);
  auto const z = applied(make_multigrid(Space(), A), r);
  for (int run = 0; run < 3; ++run) {
    auto const M = make_multigrid(Space(), A);
    EXPECT_EQ(applied(M, r), z);
    EXPECT_EQ(applied(M, r), z);
  }
#ifdef KOKKOS_ENABLE_OPENMP
  with_one_thread(Space(), [&](auto const& one_thread) {
    ASSERT_EQ(one_thread.concurrency(), 1);
    Kokkos::View<double*, Device> const to("z", r.size());
    make_multigrid(one_thread, A).apply(one_thread, to_device(r), to);
    EXPECT_EQ(to_host(to), z);
  });
#endif
}

TEST(Multigrid, SolvesAsTheDocumentationShows) {
  Space const exec;
  auto const A = poisson(16).on_device();
  Kokkos::View<double*, Device> const b("b", 4096), x("x", 4096);
  Kokkos::deep_copy(b, 1.0);
  // [solve]
  auto M = einkorn::make_multigrid(exec, A);  // A: a Csr or a CrsMatrix, symmetric positive definite
  auto const op = M.make_operator(exec, A);   // A in the format of the finest level, for faster products
  auto const report = einkorn::pcg(exec, op, M, b, x, {.tolerance = 1e-8});
  std::printf("%s after %lld iterations\n%s", name_of(report.outcome),
              static_cast<long long>(report.iterations), M.report().table().c_str());  // the levels
  // [solve]
  EXPECT_TRUE(report.converged());
  // [update]
  M.update(exec, A);  // A: new values on the same pattern
  auto const next = einkorn::pcg(exec, A, M, b, x);
  // [update]
  EXPECT_TRUE(next.converged());
}

TEST(Multigrid, UpdateGivesTheBitsOfANewSetUp) {
  for (auto const aggregation : {MultigridAggregation::automatic, MultigridAggregation::general}) {
    MultigridOptions const options{.coarsest_rows = 40, .aggregation = aggregation};
    auto const before = poisson(16);
    auto after = before;
    for (double& value : after.values) value *= 3.5;
    auto M = make_multigrid(Space(), before.on_device(), options);
    auto const r = waves(4096, 0.3);
    auto const old = applied(M, r);
    M.update(Space(), after.on_device());
    auto const z = applied(M, r);
    EXPECT_EQ(z, applied(make_multigrid(Space(), after.on_device(), options), r));
    EXPECT_NE(z, old);
    M.update(Space(), before.on_device());
    EXPECT_EQ(applied(M, r), old);
  }
}

TEST(Multigrid, CallsBackForEachLevel) {
  auto const A = poisson(16).on_device();
  std::vector<MultigridLevel> seen;
  MultigridOptions options{.coarsest_rows = 30};
  options.on_level = [&](MultigridLevel const& level) { seen.push_back(level); };
  auto M = make_multigrid(Space(), A, options);
  M.update(Space(), A);
  auto const& levels = M.report().levels;
  ASSERT_EQ(seen.size(), levels.size());
  ASSERT_GE(seen.size(), 3u);
  for (std::size_t l = 0; l < seen.size(); ++l) {
    EXPECT_EQ(seen[l].rows, levels[l].rows) << l;
    EXPECT_EQ(seen[l].nnz, levels[l].nnz) << l;
    EXPECT_EQ(seen[l].format, levels[l].format) << l;
    EXPECT_EQ(seen[l].is_smoothed, levels[l].is_smoothed) << l;
  }
}

TEST(Multigrid, ApplyOnlyLaunches) {
  auto const A = poisson(16).on_device();
  auto const M = make_multigrid(Space(), A, {.coarsest_rows = 30});
  Kokkos::View<double*, Device> const r("r", 4096), z("z", 4096);
  M.apply(Space(), r, z);
  Kokkos::fence();
  Watch const watch;
  M.apply(Space(), r, z);
  EXPECT_TRUE(watch.seen().fences.empty() && watch.seen().allocations.empty() && watch.seen().copies.empty());
  for (double const zi : to_host(z)) EXPECT_EQ(zi, 0);  // of r = 0
}

TEST(Multigrid, DestructionFreesEveryAllocation) {
  auto const A = poisson(6).on_device();
  MultigridOptions const options{.coarsest_rows = 4};
  ASSERT_GE(make_multigrid(Space(), A, options).report().levels.size(), 3u);  // also Kokkos' own scratch memory
  int const num_set_ups =
      is_gpu<Space> || Space().concurrency() == 1 ? 1000 : 100;  // threads that share cores are slow
  for (int set_up = 0; set_up < num_set_ups; ++set_up) {
    Watch const watch;
    {
      auto const M = make_multigrid(Space(), A, options);
      ASSERT_GE(watch.live_bytes(), static_cast<std::int64_t>(M.bytes()));
    }
    ASSERT_EQ(watch.live_bytes(), 0) << set_up;
  }
}

TEST(Multigrid, ResidualsMayBeOutsideTheRangeOfFloat) {
  auto const A = poisson(12).on_device();
  auto const M = make_multigrid(Space(), A, {.coarsest_rows = 30});
  auto const r = waves(1728, 0.3);
  auto const z = applied(M, r);
  for (double const scale : {0x1p-300, 0x1p+300}) {
    auto scaled = r;
    for (double& ri : scaled) ri *= scale;
    auto const scaled_z = applied(M, scaled);
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(scaled_z[i], z[i] * scale);
  }
  Kokkos::View<double*, Device> const squared_norm("squared_norm", 1), to("z", z.size());
  Kokkos::deep_copy(squared_norm, dot(r, r));
  M.apply(Space(), to_device(r), to, squared_norm.data());
  EXPECT_EQ(to_host(to), z);  // scaled by a power of two
}

TEST(Multigrid, OperatorInTheFormatOfTheFinestLevel) {
  for (auto const& host : {poisson(12), jumps(12, 1e3)}) {
    auto const A = host.on_device();
    auto const M = make_multigrid(Space(), A, {.coarsest_rows = 30});
    auto op = M.make_operator(Space(), A);
    auto const x = waves(1728, 0.3);
    Kokkos::View<double*, Device> const expected("expected", x.size()), found("found", x.size());
    spmv(Space(), 1.0, A, to_device(x), 0.0, expected);
    op.apply(Space(), to_device(x), found);
    auto const want = to_host(expected), have = to_host(found);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-13 * 1e4);
    auto doubled = host;
    for (auto& value : doubled.values) value *= 2;
    op.update(Space(), doubled.on_device());
    op.apply(Space(), to_device(x), found);
    auto const twice = to_host(found);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(twice[i], 2 * have[i]);
    Kokkos::View<double*, Device> const solution("x", x.size());
    EXPECT_TRUE(pcg(Space(), op, M, expected, solution).converged());
  }
}

TEST(Multigrid, SolvesConsistentNeumannProblems) {
  auto const host = seven_point(16, [](int, int, int, int, int, int) { return 1.0; }, true);
  auto const A = host.on_device();
  auto const M = make_multigrid(Space(), A);
  EXPECT_EQ(M.status().outcome, Outcome::converged);
  EXPECT_EQ(M.report().singular_rows, 1);
  auto b = waves(4096, 0.3);
  double mean = 0;
  for (double const bi : b) mean += bi / 4096;
  for (double& bi : b) bi -= mean;
  auto const x = to_device(std::vector<double>(4096));
  EXPECT_TRUE(pcg(Space(), A, M, to_device(b), x, SolverOptions{.tolerance = 1e-6}).converged());
}

TEST(Multigrid, StatusNamesRowsWithoutPivotOrWithNonFiniteEntries) {
  auto const status_of = [](double value) {
    auto A = poisson(8);
    A.values[A.begin(77) + 3] = value;  // the diagonal
    // Two levels on every device: an inverse of the whole matrix meets a zero diagonal as a negative pivot.
    auto const M = make_multigrid(Space(), A.on_device(), {.coarsest_rows = 100});
    EXPECT_EQ(M.status().row, 77) << value;
    for (double const zi : applied(M, waves(512, 0.3))) EXPECT_TRUE(std::isfinite(zi) || !std::isfinite(value));
    EXPECT_EQ(solve(A.on_device(), M).report.outcome, M.status().outcome);
    return M.status().outcome;
  };
  EXPECT_EQ(status_of(0), Outcome::zero_pivot);
  EXPECT_EQ(status_of(-6), Outcome::indefinite_preconditioner);
  EXPECT_EQ(status_of(std::numeric_limits<double>::quiet_NaN()), Outcome::non_finite);
}

TEST(Multigrid, DiagonalMatricesHaveOneLevel) {
  Host A{5000, 5000, {0}, {}, {}};
  for (int i = 0; i < 5000; ++i) {
    A.columns.push_back(i);
    A.values.push_back(1.0 + i % 10);
    A.offsets.push_back(i + 1);
  }
  auto const M = make_multigrid(Space(), A.on_device());
  EXPECT_EQ(M.report().levels.size(), 1u);
  EXPECT_LE(solve(A.on_device(), M).report.iterations, 3);
}

TEST(Multigrid, RejectsBadInput) {
  auto const A = poisson(4).on_device();
  auto const rejects = [&](MultigridOptions const& options, char const* name) {
    return throws<InvalidArgument>([&] { make_multigrid(Space(), A, options); }, {"make_multigrid", name});
  };
  EXPECT_TRUE(rejects({.strength = -0.1}, "strength"));
  EXPECT_TRUE(rejects({.strength = std::nan("")}, "strength"));
  EXPECT_TRUE(rejects({.block_size = 0}, "block_size"));
  EXPECT_TRUE(rejects({.max_levels = 0}, "max_levels"));
  EXPECT_TRUE(rejects({.coarsest_rows = 5000}, "coarsest_rows"));
  EXPECT_TRUE(rejects({.max_complexity = 0.5}, "max_complexity"));
  EXPECT_TRUE(rejects({.box_width = 1}, "box_width"));
  EXPECT_TRUE(rejects({.degree = 9}, "degree"));
  EXPECT_TRUE(rejects({.smoother = static_cast<MultigridSmoother>(7)}, "smoother"));
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { make_multigrid(Space(), A, {.block_size = 3}); }, {"block_size"}));
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { make_multigrid(Space(), Host{2, 3, {0, 0, 0}, {}, {}}.on_device()); },
                                {"make_multigrid", "2 x 3"}));
  Kokkos::View<double**, Kokkos::LayoutLeft, Device> const vectors("vectors", 63, 1);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { make_multigrid(Space(), A, {}, vectors); }, {"near_null"}));
  auto M = make_multigrid(Space(), A);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.update(Space(), poisson(3).on_device()); }, {"update"}));
  auto B = poisson(4);
  B.columns.push_back(0);
  B.values.push_back(1);
  ++B.offsets.back();
  EXPECT_TRUE(throws<StalePlan>([&] { M.update(Space(), B.on_device()); }, {"update"}));
  Kokkos::View<double*, Device> const r("r", 64), z("z", 63);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.apply(Space(), r, z); }, {"Multigrid", "z"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { M.apply(Space(), r, r); }, {"Multigrid", "overlap"}));
}

}  // namespace
}  // namespace einkorn::test
