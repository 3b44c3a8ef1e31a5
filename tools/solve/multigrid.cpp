// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/multigrid.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/precond/multigrid.hpp>

namespace einkorn::tools {

struct MultigridPreconditioner::Levels {
  decltype(make_multigrid(Exec(), Matrix<double>())) multigrid;
};

MultigridPreconditioner::MultigridPreconditioner(Exec const& exec, Matrix<double> const& A,
                                                 LevelCallback const& on_level)
    : levels_(std::make_shared<Levels const>(Levels{make_multigrid(exec, A, {.on_level = on_level})})) {}

MultigridPreconditioner::MultigridPreconditioner(Exec const&, Matrix<Kokkos::complex<double>> const&,
                                                 LevelCallback const&) {
  throw InvalidArgument("--preconditioner multigrid: the matrix is complex, expected a real one");
}

void MultigridPreconditioner::apply(Exec const& exec, Kokkos::View<double const*, Device> const& r,
                                    DenseVector<double> const& z, double const* squared_norm) const {
  levels_->multigrid.apply(exec, r, z, squared_norm);
}

SetupStatus MultigridPreconditioner::status() const {
  return levels_->multigrid.status();
}

std::string MultigridPreconditioner::table() const {
  return levels_->multigrid.report().table();
}

}  // namespace einkorn::tools
