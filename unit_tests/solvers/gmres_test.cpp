// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// GMRES and flexible GMRES against a textbook implementation in long double.

#include "../support/near.hpp"
#include "solved.hpp"
#include "systems.hpp"
#include "textbook_gmres.hpp"
#include "user_operator.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/gmres.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
class Gmres : public testing::Test {
 protected:
  static constexpr double eps = std::numeric_limits<real_type<S>>::epsilon();

  /// The residuals of `steps` steps, and x after them, within 1e3 eps of the textbook's.
  static void expect_textbook(System<S> const& system, int restart, std::size_t steps, bool with_jacobi) {
    SCOPED_TRACE(system.name + ", restart " + std::to_string(restart) + (with_jacobi ? ", Jacobi" : ""));
    auto const A = system.A.on_device();
    auto const b = system.b();
    auto const inverse = with_jacobi ? inverse_diagonal(system.A) : std::vector<S>();
    auto const book =
        TextbookGmres<Wide<S>>::solve(system.A, b, static_cast<std::size_t>(restart), steps, 0, inverse);
    auto const M = make_jacobi(Space(), A);
    SolverOptions const options{.tolerance = 0,
                                .max_iterations = static_cast<std::int64_t>(steps),
                                .keep_history = true,
                                .restart = restart};
    for (bool const flexible : {false, true}) {
      if (flexible && !with_jacobi) continue;
      auto const [report, x] = solved(
          [&](auto const& given_b, auto const& given_x, auto const& given) {
            if (flexible) return fgmres(Space(), A, M, given_b, given_x, given);
            if (with_jacobi) return gmres(Space(), A, M, given_b, given_x, given);
            return gmres(Space(), A, given_b, given_x, given);
          },
          b, options);
      EXPECT_EQ(report.outcome, Outcome::iteration_limit) << name_of(report.outcome);
      ASSERT_EQ(report.history.size(), book.history.size());
      for (std::size_t k = 0; k < book.history.size(); ++k)
        EXPECT_NEAR(report.history[k], book.history[k], 1e3 * eps * book.history[0]) << "after " << k;
      EXPECT_NEAR(report.residual, book.history.back(), 1e3 * eps * book.history[0]);
      EXPECT_NEAR(report.residual, true_residual(system.A, b, x), 1e2 * eps * norm(b));
      double const size = static_cast<double>(std::sqrt(std::abs(Textbook<Wide<S>>::dot(book.x, book.x))));
      EXPECT_LE(distance(x, book.x), 1e4 * eps * size);
      EXPECT_EQ(report.restarts, static_cast<std::int64_t>((steps - 1) / static_cast<std::size_t>(restart)));
    }
  }
};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Gmres, Scalars);

TYPED_TEST(Gmres, ResidualsOfTheTextbook) {
  using S = TypeParam;
  for (auto const& system : {as<S>(convection(20, 15, 0.5)), dominant<S>(300, 1.2), as<S>(lattice(25, 30))})
    for (bool const with_jacobi : {false, true}) {
      this->expect_textbook(system, 30, 25, with_jacobi);
      this->expect_textbook(system, 5, 23, with_jacobi);
      this->expect_textbook(system, 1, 7, with_jacobi);
    }
}

TYPED_TEST(Gmres, SolvesInAtMostNSteps) {
  using S = TypeParam;
  for (int const n : {1, 2, 3, 7, 20}) {
    auto const system = dominant<S>(n, 0.8);
    auto const b = system.b();
    SolverOptions const options{.tolerance = 50 * this->eps, .restart = 30};  // restart > n
    auto const [report, x] =
        solved([&](auto const& given_b, auto const& given_x,
                   auto const& given) { return gmres(Space(), system.A.on_device(), given_b, given_x, given); },
               b, options);
    EXPECT_TRUE(report.converged()) << n << ": " << name_of(report.outcome);
    EXPECT_LE(report.iterations, n);
    EXPECT_LE(true_residual(system.A, b, x), 100 * this->eps * norm(b));
  }
}

/// The counts of restarted GMRES are those of the textbook in double, give or take one.
TEST(GmresCounts, OfTheTextbook) {
  for (int const restart : {5, 30, 200}) {
    auto const system = convection(30, 30, 0.7);
    auto const A = system.A.on_device();
    auto const b = system.b();
    auto const book = TextbookGmres<double>::solve(system.A, b, static_cast<std::size_t>(restart), 10000, 1e-8);
    auto const [report, x] =
        solved([&](auto const& given_b, auto const& given_x,
                   auto const& given) { return gmres(Space(), A, given_b, given_x, given); },
               b, {.tolerance = 1e-8, .restart = restart});
    EXPECT_TRUE(report.converged()) << name_of(report.outcome);
    EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(book.iterations()), 1);
    EXPECT_LE(true_residual(system.A, b, x), 1.0001e-8 * norm(b));
  }
}

/// max |V^H V - I| after a cycle of m steps. Classical Gram-Schmidt without a second pass, in this test, loses
/// orthogonality on this system, so that the bound can fail.
TEST(GmresBasis, IsOrthonormal) {
  constexpr int m = 40;
  System<double> system = diagonal_spectrum(100, 2);
  for (std::size_t i = 0; i < 100; ++i)
    system.A.values[i] = std::pow(0.5, static_cast<double>(i * 7 % 100) / 2);
  auto const b = system.b();
  auto const op = make_operator<double>(Space(), system.A.on_device());
  SolverOptions const options{.tolerance = 0, .max_iterations = m - 1, .restart = m};
  GmresWorkspace<double, Space> const workspace(Space(), op, options);
  solved([&](auto const& given_b, auto const& given_x,
             auto const& given) { return gmres(Space(), op, given_b, given_x, given, workspace); },
         b, options);
  std::vector<std::vector<double>> columns;  // the final residual overwrites the first column
  for (int j = 1; j < m; ++j) columns.push_back(to_host(workspace.column(j)));
  auto const loss_of = [](std::vector<std::vector<double>> const& v) {
    double loss = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        loss = std::max(loss, std::abs(Textbook<double>::dot(v[i], v[j]) - (i == j ? 1.0 : 0.0)));
    return loss;
  };
  EXPECT_LE(loss_of(columns), 1e-14);

  std::vector<std::vector<double>> once{b};
  for (auto& entry : once[0]) entry /= norm(b);
  for (int k = 0; k + 1 < m; ++k) {
    auto const w = Textbook<double>::product(system.A, once.back());
    auto next = w;
    for (auto const& v : once) next = Textbook<double>::sum(next, -Textbook<double>::dot(v, w), v);
    double const size = norm(next);
    for (auto& entry : next) entry /= size;
    once.push_back(next);
  }
  EXPECT_GE(loss_of(once), 1e-10) << "one pass would suffice: the test shows nothing";
}

TEST(GmresPreconditioned, BlockJacobi) {
  auto const system = badly_scaled(convection(30, 20, 0.5));
  auto const A = system.A.on_device();
  auto const b = system.b();
  auto const M = make_block_jacobi(Space(), A, {.block_size = 4});
  std::int64_t counts[2];
  for (bool const flexible : {false, true}) {
    auto const [report, x] = solved(
        [&](auto const& given_b, auto const& given_x, auto const& given) {
          return flexible ? fgmres(Space(), A, M, given_b, given_x, given)
                          : gmres(Space(), A, M, given_b, given_x, given);
        },
        b);
    EXPECT_TRUE(report.converged()) << name_of(report.outcome);
    EXPECT_LE(true_residual(system.A, b, x), 1.0001e-8 * norm(b));
    counts[flexible ? 1 : 0] = report.iterations;
  }
  EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), 1);
}

/// D^-1 times 1, 2, 3, 1, ... in consecutive applications, and every fourth time the identity.
struct Changing {
  UserDiagonal<double> diagonal, one;
  int mutable count = 0;

  template <class R, class Z>
  struct Scale {
    Z z;
    double factor;
    KOKKOS_FUNCTION void operator()(std::size_t i) const { z(i) *= factor; }
  };
  template <class R, class Z>
  void apply(Space const& exec, R const& r, Z const& z) const {
    (count % 4 == 3 ? one : diagonal).apply(exec, r, z);
    Kokkos::parallel_for("scale",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, z.extent(0)),
                         Scale<R, Z>{z, 1.0 + count % 3});
    ++count;
  }
};

TEST(Fgmres, PreconditionerThatChanges) {
  auto const system = badly_scaled(dominant<double>(400, 1.5));
  auto const A = system.A.on_device();
  auto const b = system.b();
  Changing const changing{UserDiagonal<double>(inverse_diagonal(system.A)),
                          UserDiagonal<double>(std::vector<double>(b.size(), 1.0))};
  auto const fixed =
      solved([&](auto const& given_b, auto const& given_x,
                 auto const& given) { return gmres(Space(), A, changing, given_b, given_x, given); },
             b, {.tolerance = 1e-8, .max_iterations = 10});
  EXPECT_GE(fixed.report.residual, 2 * fixed.report.recursive_residual) << "gmres() assumes one M";
  for (int const restart : {7, 40}) {
    Changing const M{UserDiagonal<double>(inverse_diagonal(system.A)),
                     UserDiagonal<double>(std::vector<double>(b.size(), 1.0))};
    auto const [report, x] =
        solved([&](auto const& given_b, auto const& given_x,
                   auto const& given) { return fgmres(Space(), A, M, given_b, given_x, given); },
               b, {.tolerance = 1e-8, .max_iterations = 20000, .keep_history = true, .restart = restart});
    EXPECT_TRUE(report.converged()) << name_of(report.outcome);
    EXPECT_LE(true_residual(system.A, b, x), 1.0001e-8 * norm(b));
    EXPECT_NEAR(report.residual, report.history.back(), 1e-12 * norm(b)) << "x belongs to the recursion";
  }
}

TEST(GmresOperator, WithApplyOnly) {
  auto const system = convection(25, 20, 0.3);
  auto const b = system.b();
  UserOperator<double> const a{system.A.on_device()};
  auto const result = solved([&](auto const& given_b, auto const& x,
                                 auto const& options) { return gmres(Space(), a, given_b, x, options); },
                             b);
  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(true_residual(system.A, b, result.x), 1.0001e-8 * norm(b));
}

}  // namespace
}  // namespace einkorn::test
