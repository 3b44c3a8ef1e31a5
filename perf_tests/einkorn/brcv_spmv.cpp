// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_brcv(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Brcv>(problem, selection, rows, row_of("brcv", "row_team"), BrcvOptions{}, [](auto const& F) {
    return std::to_string(F.b.extent(0) == 0 ? 0 : F.b.extent(0) - 1) + " stripes";
  });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_brcv(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_brcv(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_brcv(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_brcv(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
