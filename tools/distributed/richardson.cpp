// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/operator.hpp"
#include "solve/richardson_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_richardson(DistributedTask<double> const&);
template TimedSolve solve_by_richardson(DistributedTask<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
