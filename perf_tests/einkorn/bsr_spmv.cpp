// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Bsr>(problem, selection, rows, row_of("bsr", "block_row"), BsrOptions{},
                  [](auto const& F) { return "blocks of " + std::to_string(F.block_size); });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_bsr(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_bsr(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_bsr(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_bsr(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
