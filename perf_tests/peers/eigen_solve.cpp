// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/solve.hpp"

#include <einkorn/core/arch.hpp>

#ifdef EINKORN_WITH_EIGEN
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#endif

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>

namespace einkorn::perf {

#ifdef EINKORN_WITH_EIGEN

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;  // only row-major SpMV is parallel
using Identity = Eigen::IdentityPreconditioner;
using Diagonal = Eigen::DiagonalPreconditioner<double>;
constexpr int both = Eigen::Lower | Eigen::Upper;

/// n-vectors that one iteration of Eigen 3.4 moves. It applies the identity as a copy and computes r.r in
/// addition to the dots of the method.
constexpr std::size_t vectors_of(Method method) {
  switch (method) {
    case Method::cg:
      return 2 + 2 + 3 + 3 + 1 + 2 + 2 + 3;  // A p; p.q; x; r; r.r; z; r.z; p
    case Method::jacobi_pcg:
      return 2 + 2 + 3 + 3 + 1 + 3 + 2 + 3;
    default:
      // r.r; r0.r; p; y; A y; r0.v; s; z; A z; t.t; t.s; x; r
      return 1 + 2 + 4 + 2 + 2 + 2 + 3 + 2 + 2 + 1 + 2 + 4 + 3;
  }
}

/// The solver references matrix_, which references the arrays of A_.
template <class Solver>
class EigenSolve {
 public:
  explicit EigenSolve(SolveBench const& bench)
      : A_(bench.A),
        b_(bench.b),
        x_(bench.x),
        matrix_(A_.num_rows, A_.num_cols, static_cast<Eigen::Index>(A_.nnz()), A_.row_offsets.data(),
                A_.columns.data(), A_.values.data()) {
    solver_.setTolerance(0.0);
    solver_.compute(matrix_);
  }

  int operator()(int iterations) {
    Eigen::setNbThreads(Exec().concurrency());
    solver_.setMaxIterations(iterations);
    Eigen::Map<Eigen::VectorXd const> const b(b_.data(), A_.num_rows);
    Eigen::Map<Eigen::VectorXd> x(x_.data(), A_.num_rows);
    x = solver_.solve(b);
    return static_cast<int>(solver_.iterations());
  }

 private:
  Csr<double, int, int, Device> A_;
  DenseVector<double const> b_;
  DenseVector<double> x_;
  Eigen::Map<Matrix const> matrix_;
  Solver solver_;
};

template <class Solver>
void set_solver(SolveRow& row, SolveBench const& bench) {
  auto const solver = std::make_shared<EigenSolve<Solver>>(bench);
  row.solve = [solver](int iterations) { return (*solver)(iterations); };
}

}  // namespace

void add_eigen_solvers(SolveBench& bench) {
  SolveRow row;
  row.library = "eigen";
  row.format = "csr";
  row.execution = "host_scalars";
  row.vectors = vectors_of(bench.method);
  auto const counts = counts_of(bench.A);
  row.matrix_bytes = csr_bytes(counts) - vector_bytes(counts);
  bench.add(row, [&](SolveRow& built) {
    switch (bench.method) {
      case Method::cg:
        return set_solver<Eigen::ConjugateGradient<Matrix, both, Identity>>(built, bench);
      case Method::jacobi_pcg:
        return set_solver<Eigen::ConjugateGradient<Matrix, both, Diagonal>>(built, bench);
      default:
        return set_solver<Eigen::BiCGSTAB<Matrix, Identity>>(built, bench);
    }
  });
}

#else

void add_eigen_solvers(SolveBench& bench) {
  if (is_gpu<Exec>) return;
  SolveRow row;
  row.library = "eigen";
  row.format = "csr";
  row.refusal = "built without Eigen";
  bench.rows.push_back(row);
}

#endif

}  // namespace einkorn::perf
