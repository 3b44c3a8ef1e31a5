// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "peers/kokkos_kernels_spmv.hpp"

namespace einkorn::perf {

template void add_kokkos_kernels(Problem<double, int, int> const&, Candidates&);
template void add_kokkos_kernels(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
