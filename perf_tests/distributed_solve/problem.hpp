// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "distributed_solve/settings.hpp"
#include "support/types.hpp"

#include <einkorn/core/comm/transport.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/bdia/traits.hpp>
#include <einkorn/formats/csr/traits.hpp>
#include <einkorn/formats/dia/traits.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/formats/format_list.hpp>
#include <einkorn/formats/sell/traits.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace einkorn::perf::distributed {

using Formats = FormatList<Csr, Sell, Dia, Bdia>;
using Matrix = Csr<double, int, int, Device>;
using LocalMatrix = BasicAnyMatrix<Formats, double, int, int, Device, double>;
using Local = AnyOperator<LocalMatrix>;
using RankMatrix = DistributedCsr<double, int, int, Device>;
using RankOperator = DistributedOperator<double, Exec, RankMatrix, Local>;
using Vector = DenseVector<double>;

/// The same system without MPI.
struct Alone {
  Matrix A;
  Local op;
  Vector b;
};

/// The system A x = ones.
struct Problem {
  Exec exec;
  std::shared_ptr<Transport<Exec>> transport;
  FormatName format;
  RankMatrix A;
  RankOperator op;
  Vector b;                    // the rows of this rank
  std::optional<Alone> alone;  // on rank 0, if requested

  [[nodiscard]] Communicator const& comm() const { return op.communicator(); }
};

/// A as an operator in a format of the list.
/// @throws FillLimit, OutOfMemory
Local to_local(Exec const& exec, Matrix const& A, FormatName format);

/// The bytes of A in its format, without vectors.
std::size_t bytes_of(LocalMatrix const& A);

/// Rank 0 reads the matrix of the settings, or each rank computes its rows of a 7-point stencil on the host.
/// Collective.
/// @throws InvalidArgument for more than 2^31 - 1 entries of a rank, or of A on rank 0
/// @throws DimensionMismatch for a matrix that is not square, and the exceptions of the parser
Problem make_problem(Exec const& exec, std::shared_ptr<Transport<Exec>> transport, Settings const& settings,
                     FormatName format);

/// A solver, ready to be measured; its functions solve from x = 0.
struct Solver {
  std::string name;               // that of --solvers
  std::string operation, fusion;  // as in the records of einkorn-bench --solve
  std::size_t products = 1;       // per iteration
  std::size_t vectors = 8;        // n-vectors that one iteration moves
  std::function<SolveReport(SolverOptions const&)> on_ranks;
  std::function<SolveReport(SolverOptions const&)> alone;  // without MPI; empty unless Problem::alone
};

/// The options of the measured solves; workspaces are made for them. Collective.
Solver make_cg(Problem const& problem, SolverOptions const& options);
Solver make_jacobi_scaled_cg(Problem const& problem, SolverOptions const& options);
Solver make_jacobi_pcg(Problem const& problem, SolverOptions const& options);
Solver make_bicgstab(Problem const& problem, SolverOptions const& options);

/// solve(x) from x = 0 in a new x.
template <class Solve>
std::function<SolveReport(SolverOptions const&)> from_zero(Exec const& exec, std::size_t rows,
                                                           Solve const& solve) {
  Vector const x("einkorn::perf::x", rows);
  return [exec, x, solve](SolverOptions const& options) {
    Kokkos::deep_copy(exec, x, 0.0);
    return solve(x, options);
  };
}

}  // namespace einkorn::perf::distributed
