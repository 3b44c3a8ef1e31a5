// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/hyb/from_csr.hpp>
#include <einkorn/formats/hyb/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_hyb(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Hyb>(problem, selection, rows, row_of("hyb", "ell_and_coo"), HybOptions{}, [](auto const& F) {
    return "width " + std::to_string(F.ell.width) + ", " + std::to_string(F.coo.nnz()) + " in coo";
  });
}

template void add_hyb(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_hyb(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_hyb(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_hyb(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
