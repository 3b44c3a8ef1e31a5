// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/operator.hpp"
#include "solve/cg_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_cg(DistributedTask<double> const&);
template TimedSolve solve_by_cg(DistributedTask<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
