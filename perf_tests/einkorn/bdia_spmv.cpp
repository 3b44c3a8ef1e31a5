// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_bdia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Bdia>(problem, selection, rows, row_of("bdia", "window"), BdiaOptions{},
                   [](auto const& F) { return std::to_string(F.band_offsets.extent(0)) + " bands"; });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_bdia(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_bdia(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_bdia(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_bdia(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
