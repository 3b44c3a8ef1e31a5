// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with a diagonal preconditioner against the textbook: applied within the passes, by apply(), and Jacobi. CG with a
// preconditioner that differs between applications.

#include "../support/near.hpp"
#include "cg_tests.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

template <class S, class M>
void expect_pcg(System<S> const& system, M const& preconditioner, std::vector<S> const& inverse) {
  using Double = std::conditional_t<is_complex<S>, std::complex<double>, double>;
  SCOPED_TRACE(system.name);
  auto const b = system.b();
  auto const A = system.A.on_device();
  auto const solve = [&](auto const& given_b, auto const& x, SolverOptions const& options) {
    return pcg(Space(), A, preconditioner, given_b, x, options);
  };
  SolverOptions options;

  expect_iterates(system, solve, options, Textbook<Wide<S>>::cg(system.A, b, 10, 0.0, inverse, 10));
  options.tolerance = tolerance_of<S>();
  expect_count(system, solve, options, Textbook<Double>::cg(system.A, b, 10000, options.tolerance, inverse), 1);
}

template <class S>
class Pcg : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Pcg, Scalars);

TYPED_TEST(Pcg, MatchesTextbook) {
  using S = TypeParam;
  for (auto const& plain : {as<S>(lattice(100)), as<S>(lattice(25, 30)), as<S>(lattice(9, 10, 11))})
    for (auto const& system : {plain, badly_scaled(plain)}) {
      auto const inverse = inverse_diagonal(system.A);
      {
        SCOPED_TRACE("apply() of the user's");
        expect_pcg(system, UserDiagonal<S>(inverse), inverse);
      }
      SCOPED_TRACE("a diagonal of the user's");
      expect_pcg(system, FusableUserDiagonal<S>(inverse), inverse);
    }
}

TEST(PcgPreconditioners, JacobiAndIdentity) {
  auto const system = badly_scaled(lattice(9, 10, 11));
  expect_pcg(system, make_jacobi(Space(), system.A.on_device()), inverse_diagonal(system.A));
  auto const plain = lattice(25, 30);
  expect_pcg(plain, Identity{}, {});
}

/// Scaling A and M^-1 apart changes nothing but x.
TEST(PcgPreconditioners, InvariantUnderScalingOfM) {
  auto const system = badly_scaled(lattice(25, 30));
  auto inverse = inverse_diagonal(system.A);
  auto const A = system.A.on_device();
  auto const count = [&](auto const& M) {
    return solved([&](auto const& b, auto const& x,
                      auto const& options) { return pcg(Space(), A, M, b, x, options); },
                  system.b())
        .report.iterations;
  };
  auto const expected = count(UserDiagonal<double>(inverse));
  for (auto& entry : inverse) entry *= 0x1p+60;
  EXPECT_EQ(count(UserDiagonal<double>(inverse)), expected);
  EXPECT_EQ(count(FusableUserDiagonal<double>(inverse)), expected);
}

/// D^-1 in every application, but variable by its type: the beta of Polak and Ribiere, equal in exact arithmetic.
template <class S>
struct ConstantVariableM : UserDiagonal<S> {
  static constexpr bool is_variable = true;
  using UserDiagonal<S>::UserDiagonal;
};

/// M_k^-1 of application k = 0, 1, ... is inverses[k % 2] from k = first on, inverses[0] before.
template <bool variable>
struct AlternatingM {
  static constexpr bool is_variable = variable;
  std::vector<UserDiagonal<double>> inverses;
  std::shared_ptr<std::size_t> num_applications = std::make_shared<std::size_t>(0);
  std::size_t first = 0;

  template <class R, class Z>
  void apply(Space const& exec, R const& r, Z const& z) const {
    auto const k = (*num_applications)++;
    inverses[k < first ? 0 : k % 2].apply(exec, r, z);
  }
};

/// Flexible CG with a stored r: beta = z_new.(r_new - r) / r.z. inverses: of AlternatingM.
template <class T>
Textbook<T> flexible_cg(HostMatrix<double> const& A, std::vector<double> const& b, std::size_t limit,
                        double tolerance, std::vector<std::vector<double>> const& inverses) {
  using Book = Textbook<T>;
  Book book;
  auto r = Book::convert(b), z = Book::scaled(Book::convert(inverses[0]), r), p = z;
  std::vector<T> x(b.size());
  book.x.push_back(x);
  book.history.push_back(Book::norm(r));
  double const target = tolerance * Book::norm(r);
  while (book.iterations() < limit && book.history.back() > target) {
    auto const q = Book::product(A, p), r_old = r;
    T const rho = Book::dot(r, z), alpha = rho / Book::dot(p, q);
    x = Book::sum(x, alpha, p);
    r = Book::sum(r, -alpha, q);
    z = Book::scaled(Book::convert(inverses[(book.iterations() + 1) % 2]), r);
    p = Book::sum(z, Book::dot(z, Book::sum(r, T(-1), r_old)) / rho, p);
    book.x.push_back(x);
    book.history.push_back(Book::norm(r));
  }
  return book;
}

/// Two diagonals whose entries differ by up to `ratio`.
std::vector<std::vector<double>> two_inverses(HostMatrix<double> const& A, double ratio) {
  auto const one = inverse_diagonal(A);
  auto other = one;
  for (std::size_t i = 0; i < other.size(); ++i)
    other[i] *= std::pow(ratio, number<double>(Numbers::reals, i, 21));
  return {one, other};
}

template <bool variable>
auto with_alternating(HostMatrix<double> const& A, std::vector<std::vector<double>> const& inverses) {
  return [a = A.on_device(), inverses](auto const& b, auto const& x, SolverOptions const& options) {
    AlternatingM<variable> const M{{UserDiagonal<double>(inverses[0]), UserDiagonal<double>(inverses[1])}};
    return pcg(Space(), a, M, b, x, options);
  };
}

TEST(FlexiblePcg, OfAConstantMIsPcg) {
  for (auto const& system : {lattice(25, 30), badly_scaled(lattice(9, 10, 11))}) {
    auto const inverse = inverse_diagonal(system.A);
    expect_pcg(system, ConstantVariableM<double>(inverse), inverse);
  }
  auto const system = badly_scaled(as<Complex>(lattice(25, 30)));
  auto const inverse = inverse_diagonal(system.A);
  expect_pcg(system, ConstantVariableM<Complex>(inverse), inverse);
}

TEST(FlexiblePcg, MatchesTextbookWithAStoredResidual) {
  for (auto const& system : {lattice(100), lattice(25, 30), lattice(9, 10, 11)}) {
    SCOPED_TRACE(system.name);
    auto const inverses = two_inverses(system.A, 2.0);
    auto const solve = with_alternating<true>(system.A, inverses);
    SolverOptions options;
    options.replace_every = 0;  // a replacement is one more application

    expect_iterates(system, solve, options, flexible_cg<long double>(system.A, system.b(), 10, 0.0, inverses));
    expect_count(system, solve, options,
                 flexible_cg<double>(system.A, system.b(), 10000, options.tolerance, inverses), 1);
  }
}

/// M_k close to A: M_k^-1 A = I up to 30 % per entry.
TEST(FlexiblePcg, NeedsFewerIterationsWhereMIsCloseToA) {
  auto const system = diagonal_spectrum(200, 1e4);
  for (double const ratio : {1.1, 1.3}) {
    auto inverses = two_inverses(system.A, ratio);
    for (std::size_t i = 0; i < inverses[0].size(); ++i)
      inverses[0][i] *= std::pow(ratio, number<double>(Numbers::reals, i, 22));

    auto const constant = solved(with_alternating<false>(system.A, inverses), system.b());
    auto const flexible = solved(with_alternating<true>(system.A, inverses), system.b());

    EXPECT_TRUE(flexible.report.converged());
    EXPECT_LT(flexible.report.iterations, constant.report.iterations) << ratio;
    EXPECT_LE(flexible.report.iterations, 14) << ratio;
  }
}

TEST(FlexiblePcg, ResidualReplacementAndSameBits) {
  auto const system = lattice(25, 30);
  auto const b = system.b();
  auto const solve = with_alternating<true>(system.A, two_inverses(system.A, 2.0));
  SolverOptions options;
  options.replace_every = 7;

  auto const one = solved(solve, b, options), other = solved(solve, b, options);

  EXPECT_TRUE(one.report.converged());
  EXPECT_LE(true_residual(system.A, b, one.x), 1.0001 * options.tolerance * norm(b));
  EXPECT_EQ(one.x, other.x);
}

/// An M that is bad from the fourth application on.
TEST(FlexiblePcg, BadApplicationsEndTheSolve) {
  auto const system = lattice(25, 30);
  std::vector<double> const good(system.A.rows(), 1.0);
  auto const outcome = [&](double entry) {
    std::vector<double> const bad(system.A.rows(), entry);
    AlternatingM<true> M{{UserDiagonal<double>(good), UserDiagonal<double>(bad)}};
    M.first = 3;
    return solved([&](auto const& b, auto const& x,
                      auto const& options) { return pcg(Space(), system.A.on_device(), M, b, x, options); },
                  system.b())
        .report;
  };

  EXPECT_EQ(outcome(-1.0).outcome, Outcome::indefinite_preconditioner);
  EXPECT_EQ(outcome(-1.0).iterations, 3);
  EXPECT_EQ(outcome(not_a_number<double>()).outcome, Outcome::non_finite);
}

}  // namespace
}  // namespace einkorn::test
