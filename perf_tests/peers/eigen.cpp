// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/core/arch.hpp>

#ifdef EINKORN_WITH_EIGEN
#include <Eigen/SparseCore>
#endif

#include <Kokkos_Core.hpp>

#include <complex>
#include <type_traits>

namespace einkorn::perf {

#ifdef EINKORN_WITH_EIGEN

namespace {

template <class Scalar>
using EigenScalar =
    std::conditional_t<std::is_same_v<Scalar, Kokkos::complex<double>>, std::complex<double>, Scalar>;

}  // namespace

/// Eigen has one index type: offsets are read as signed integers of the same size.
template <class Scalar, class Ordinal, class Offset>
void add_eigen(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows) {
  static_assert(sizeof(Ordinal) == sizeof(Offset));
  using Value = EigenScalar<Scalar>;
  using Matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Ordinal>;
  using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
  Candidate row;
  row.library = "eigen";
  row.format = "csr";
  row.algorithm = "row-major";
  row.bytes = csr_bytes(counts_of(problem.A));
  row.run = [problem] {
    auto const& [exec, A, x, y] = problem;
    Eigen::Map<Matrix const> const matrix(A.num_rows, A.num_cols, static_cast<Eigen::Index>(A.nnz()),
                                          reinterpret_cast<Ordinal const*>(A.row_offsets.data()),
                                          A.columns.data(), reinterpret_cast<Value const*>(A.values.data()));
    Eigen::Map<Vector const> const from(reinterpret_cast<Value const*>(x.data()), A.num_cols);
    Eigen::Map<Vector> to(reinterpret_cast<Value*>(y.data()), A.num_rows);
    to.noalias() = matrix * from;
  };
  rows.push_back(row);
}

#else

template <class Scalar, class Ordinal, class Offset>
void add_eigen(Problem<Scalar, Ordinal, Offset> const&, Candidates& rows) {
  if (is_gpu<Exec>) return;
  Candidate row;
  row.library = "eigen";
  row.format = "csr";
  row.refusal = "built without Eigen";
  rows.push_back(row);
}

#endif

template void add_eigen(Problem<double, int, int> const&, Candidates&);
template void add_eigen(Problem<float, int, int> const&, Candidates&);
template void add_eigen(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);
template void add_eigen(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
