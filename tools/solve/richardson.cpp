// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/richardson_method.hpp"

namespace einkorn::tools {

template TimedSolve solve_by_richardson(Task<double> const&);
template TimedSolve solve_by_richardson(Task<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
