// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_coo(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  add_format<Coo>(problem, selection, rows, row_of("coo", "segmented_sum"), CooOptions{},
                  [](auto const& F) { return std::to_string(F.nnz()) + " entries"; });
}

template void add_coo(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_coo(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_coo(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_coo(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
