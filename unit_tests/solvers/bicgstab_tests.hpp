// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/textbook.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/solvers/bicgstab.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace einkorn::test {

/// Nonsymmetric ones whose eigenvalues keep away from 0.
template <class S>
std::vector<System<S>> nonsymmetric_systems() {
  return {as<S>(convection(25, 30, 0.3)), as<S>(convection(30, 25, 0.9)), dominant<S>(400, 1.2),
          dominant<S>(1000, 2)};
}

/// How far a solve may be from the textbook's: its first iterates, in eps of the largest of them, and its
/// count.
struct Leeway {
  double iterates = 1e4;
  double count = 1, count_in_float = 3;
};

/// The first iterates are those of the textbook in long double, within 1e4 eps of the largest of them: what a
/// few ill-conditioned divisions cost. The counts are those in double, give or take one. In float three: its
/// rounding makes other iterates, and fewer as well as more of them (60 times with the values of A off by up to
/// 4 eps: in double the counts for 1e-8 were the same each time, in float those for 1e-4 up to two more).
template <class S, class Solve>
void expect_bicgstab(System<S> const& system, Solve const& solve, std::vector<S> const& inverse = {},
                     Leeway const& leeway = {}) {
  SCOPED_TRACE(system.name);
  using Book = Textbook<Wide<S>>;
  using Double = std::conditional_t<is_complex<S>, std::complex<double>, double>;
  auto const b = system.b();
  auto const book = Book::bicgstab(system.A, b, 8, 0.0, inverse, 8);
  double largest = 0;
  for (std::size_t k = 1; k < book.x.size(); ++k) {
    largest = std::max(largest, static_cast<double>(std::sqrt(std::abs(Book::dot(book.x[k], book.x[k])))));
    SolverOptions const limited{.tolerance = 0, .max_iterations = static_cast<std::int64_t>(k)};

    auto const [report, x] = solved(solve, b, limited);

    auto const& want = book.history[k] <= book.history[0] ? book.x[k] : book.x[0];
    EXPECT_LE(distance(x, want), leeway.iterates * std::numeric_limits<real_type<S>>::epsilon() * largest)
        << "after " << k << " iterations";
    EXPECT_EQ(report.iterations, static_cast<std::int64_t>(k));
  }

  bool const is_float = sizeof(real_type<S>) < sizeof(double);
  SolverOptions options;
  if (is_float) options.tolerance = 1e-4;
  auto const count = Textbook<Double>::bicgstab(system.A, b, 10000, options.tolerance, inverse).iterations();
  auto const [report, x] = solved(solve, b, options);
  EXPECT_TRUE(report.converged()) << name_of(report.outcome) << ", " << name_of(report.quantity);
  EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(count),
              is_float ? leeway.count_in_float : leeway.count);
  EXPECT_LE(true_residual(system.A, b, x), 1.0001 * options.tolerance * norm(b));
}

/// Left to itself, without a replacement, the recursive residual falls far below eps |b|, and x comes as near
/// as that of the textbook in the arithmetic of S: within twice its residual (it is 0.7 to 1 times that).
template <class S, class Solve>
void expect_least_residual(System<S> const& system, Solve const& solve, std::vector<S> const& inverse = {}) {
  SCOPED_TRACE(system.name);
  using Plain = std::conditional_t<is_complex<S>, std::complex<real_type<S>>, S>;
  constexpr double eps = std::numeric_limits<real_type<S>>::epsilon();
  constexpr std::size_t limit = 500;
  auto const b = system.b();
  auto const book = Textbook<Plain>::bicgstab(system.A, b, limit, 0.01 * eps, inverse, limit);
  ASSERT_LT(book.iterations(), limit);
  std::vector<S> by_the_book;
  for (auto const& value : book.x.back()) by_the_book.push_back(S(value));
  SolverOptions const options{.tolerance = 0,
                              .max_iterations = static_cast<std::int64_t>(book.iterations() * 5 / 4),
                              .replace_every = 0};

  auto const [report, x] = solved(solve, b, options);

  EXPECT_EQ(report.outcome, Outcome::iteration_limit) << name_of(report.outcome);
  EXPECT_LE(report.recursive_residual, 0.01 * eps * norm(b));
  EXPECT_LE(true_residual(system.A, b, x), 2 * true_residual(system.A, b, by_the_book));
}

}  // namespace einkorn::test
