// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/cg_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_cg(Task<double> const&);
template TimedSolve solve_by_cg(Task<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
