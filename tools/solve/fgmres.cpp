// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/gmres_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_fgmres(Task<double> const&);
template TimedSolve solve_by_fgmres(Task<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
