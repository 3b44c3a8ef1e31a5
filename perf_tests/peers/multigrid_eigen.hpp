// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#ifdef EINKORN_WITH_EIGEN

#include "support/multigrid_system.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>

namespace einkorn::perf::multigrid {

/// Eigen's matrix references the arrays of A.
struct EigenSolve {
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;  // only row-major SpMV is parallel
  using Solver =
      Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Eigen::IncompleteCholesky<double>>;

  explicit EigenSolve(Matrix const& A)
      : matrix(A.num_rows, A.num_cols, static_cast<Eigen::Index>(A.nnz()), A.row_offsets.data(),
               A.columns.data(), A.values.data()) {}
  Eigen::Map<Sparse const> matrix;
  Solver solver;
};

inline Method eigen_method(System const& system) {
  auto const eigen = std::make_shared<EigenSolve>(system.A);
  Method method;
  method.key = "eigen";
  method.name = "Eigen IC-PCG (M: 1 thread)";
  Eigen::setNbThreads(Exec().concurrency());
  eigen->solver.setTolerance(system.tolerance);
  eigen->solver.setMaxIterations(max_iterations);
  method.set_up = [=] { eigen->solver.compute(eigen->matrix); };
  method.update = [=] { eigen->solver.factorize(eigen->matrix); };
  method.solve = [=, &system]() -> Solved {
    if (eigen->solver.info() != Eigen::Success) return {"incomplete factorization failed", 0};
    Eigen::Map<Eigen::VectorXd const> const b(system.b.data(), system.A.num_rows);
    Eigen::Map<Eigen::VectorXd> x(system.x.data(), system.A.num_rows);
    x = eigen->solver.solve(b);
    return {eigen->solver.info() == Eigen::Success ? "converged" : "iteration limit",
            static_cast<std::int64_t>(eigen->solver.iterations())};
  };
  return method;
}

}  // namespace einkorn::perf::multigrid

#endif
