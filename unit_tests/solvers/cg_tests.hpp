// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/textbook.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {

/// One way to run CG.
struct Way {
  std::string name;
  Recurrence recurrence;
  Execution execution;

  [[nodiscard]] SolverOptions options() const {
    SolverOptions options;
    options.recurrence = recurrence;
    options.execution = execution;
    return options;
  }
};

/// can_persist: the product is one launch that a cooperative launch can run. has_fused_apply: it can be
/// captured in a graph.
inline std::vector<Way> ways(bool can_persist, bool has_fused_apply) {
  std::vector<Way> all{{"fused, launches", Recurrence::fused, Execution::launches},
                       {"fused, automatic", Recurrence::fused, Execution::automatic},
                       {"classical, launches", Recurrence::classical, Execution::launches}};
  if (can_persist && is_cooperative<Space>)
    all.push_back({"fused, persistent", Recurrence::fused, Execution::persistent});
  if (has_fused_apply && is_gpu<Space>) {
    all.push_back({"fused, graph", Recurrence::fused, Execution::graph});
    all.push_back({"classical, graph", Recurrence::classical, Execution::graph});
  }
  return all;
}

/// x after k = 1 .. 10 iterations is that of `book`, kept with its x: within 10 eps kappa |x_k|; x0 where the
/// residual of x_k is the larger one.
template <class S, class Solve, class Book>
void expect_iterates(System<S> const& system, Solve const& solve, SolverOptions options, Book const& book) {
  auto const b = system.b();
  options.tolerance = 0;
  for (std::size_t k = 1; k < book.x.size(); ++k) {
    options.max_iterations = static_cast<std::int64_t>(k);

    auto const [report, x] = solved(solve, b, options);

    auto const& want = book.history[k] <= book.history[0] ? book.x[k] : book.x[0];
    double const bound = 10 * std::numeric_limits<real_type<S>>::epsilon() * system.kappa *
                         std::sqrt(static_cast<double>(std::abs(Book::dot(want, want))));
    EXPECT_LE(distance(x, want), bound) << "after " << k << " iterations";
    EXPECT_EQ(report.iterations, static_cast<std::int64_t>(k));
    EXPECT_EQ(report.outcome, Outcome::iteration_limit);
    EXPECT_NEAR(report.residual, true_residual(system.A, b, x), 1e-5 * report.reference);
  }
}

/// Converges in as many iterations as the book, give or take `within`, and the answer is one.
template <class S, class Solve, class Book>
void expect_count(System<S> const& system, Solve const& solve, SolverOptions const& options, Book const& book,
                  std::int64_t within) {
  auto const b = system.b();

  auto const [report, x] = solved(solve, b, options);

  EXPECT_TRUE(report.converged()) << name_of(report.outcome);
  EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(book.iterations()),
              static_cast<double>(within));
  EXPECT_LE(true_residual(system.A, b, x), 1.0001 * options.tolerance * norm(b));
}

/// The tolerance is larger for float.
template <class S>
double tolerance_of() {
  return sizeof(real_type<S>) == sizeof(double) ? 1e-8 : 1e-4;
}

/// Both checks for an operator, with every execution.
template <class S, class A>
void expect_cg(System<S> const& system, A const& a, bool can_persist, bool has_fused_apply) {
  using Double = std::conditional_t<is_complex<S>, std::complex<double>, double>;
  SCOPED_TRACE(system.name);
  auto const b = system.b();
  auto const iterates = Textbook<Wide<S>>::cg(system.A, b, 10, 0.0, {}, 10);
  auto const count = Textbook<Double>::cg(system.A, b, 10000, tolerance_of<S>());
  auto const solve = [&a](auto const& given_b, auto const& x, SolverOptions const& options) {
    return cg(Space(), a, given_b, x, options);
  };
  for (auto const& way : ways(can_persist, has_fused_apply)) {
    SCOPED_TRACE(way.name);
    auto options = way.options();
    expect_iterates(system, solve, options, iterates);
    options.tolerance = tolerance_of<S>();
    expect_count(system, solve, options, count, 1);
  }
}

}  // namespace einkorn::test
