// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_ell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Ell>(problem, selection, rows, row_of("ell", "row_thread"), EllOptions{},
                  [](auto const& F) { return "width " + std::to_string(F.width); });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_ell(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_ell(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_ell(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_ell(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
