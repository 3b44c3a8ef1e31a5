// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "peers/kokkos_kernels_spmv.hpp"

namespace einkorn::perf {

template void add_kokkos_kernels(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);

}  // namespace einkorn::perf
