// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Real definite matrices of examples/data, solved to 1e-8.

#include "../support/data_folder.hpp"
#include "../support/matrix_files.hpp"
#include "cg_tests.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

class DefiniteRealMatrices : public testing::TestWithParam<char const*> {
 protected:
  Csr<double, int, int, Device> const A = csr_of_file<double>(data_folder("../examples/data") / GetParam());
  HostMatrix<double> const host = to_host(A);
  std::vector<double> const b = numbers<double>(Numbers::reals, host.rows(), 5),
                            inverse = inverse_diagonal(host);

  template <class Solve>
  void expect_solved(std::string const& name, Solve const& solve) const {
    auto const result = solved(solve, b, {.tolerance = 1e-8, .max_iterations = 50000});

    std::cout << GetParam() << ", " << name << ": " << result.report.iterations << " iterations\n";
    EXPECT_TRUE(result.report.converged()) << name_of(result.report.outcome);
    EXPECT_LE(true_residual(host, b, result.x), 1.0001e-8 * norm(b));
    auto const by_book = Textbook<double>::cg(host, b, 50000, 1e-8, inverse).iterations();
    EXPECT_LE(static_cast<double>(result.report.iterations), 1.2 * static_cast<double>(by_book));
  }
};

TEST_P(DefiniteRealMatrices, WithUserDiagonal) {
  UserDiagonal<double> const M(inverse);
  expect_solved("apply()", [&](auto const& given_b, auto const& x, SolverOptions const& options) {
    return pcg(Space(), A, M, given_b, x, options);
  });
  FusableUserDiagonal<double> const open(inverse);
  expect_solved("inverse()", [&](auto const& given_b, auto const& x, SolverOptions const& options) {
    return pcg(Space(), A, open, given_b, x, options);
  });
}

TEST_P(DefiniteRealMatrices, WithJacobi) {
  auto const M = make_jacobi(Space(), A);
  expect_solved("Jacobi", [&](auto const& given_b, auto const& x, SolverOptions const& options) {
    return pcg(Space(), A, M, given_b, x, options);
  });
}

INSTANTIATE_TEST_SUITE_P(Of, DefiniteRealMatrices, testing::Values("1138_bus.mtx.gz", "bcsstk16.mtx.gz"),
                         [](auto const& its) {
                           std::string const name = its.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace einkorn::test
