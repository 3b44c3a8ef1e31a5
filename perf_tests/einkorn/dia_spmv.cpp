// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_dia(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Dia>(problem, selection, rows, row_of("dia", "row_thread"), DiaOptions{},
                  [](auto const& F) { return std::to_string(F.offsets.extent(0)) + " diagonals"; });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_dia(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_dia(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_dia(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_dia(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
