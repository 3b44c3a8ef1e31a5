// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/operator.hpp"
#include "solve/gmres_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_gmres(DistributedTask<double> const&);
template TimedSolve solve_by_gmres(DistributedTask<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
