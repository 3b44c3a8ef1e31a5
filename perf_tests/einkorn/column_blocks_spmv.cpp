// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/column_blocks/from_csr.hpp>
#include <einkorn/formats/column_blocks/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_column_blocks(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection,
                       Candidates& rows) {
  add_format<ColumnBlocks>(problem, selection, rows, row_of("column_blocks", "two_passes"),
                           ColumnBlocksOptions{}, [](auto const& F) {
                             return std::to_string(F.num_blocks()) + " blocks of " +
                                    std::to_string(F.shape.columns) + " columns, " +
                                    std::to_string(F.num_sums) + " partial sums";
                           });
}

template void add_column_blocks(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_column_blocks(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_column_blocks(Problem<Kokkos::complex<double>, int, int> const&, Selection const&,
                                Candidates&);
template void add_column_blocks(Problem<double, std::int64_t, std::size_t> const&, Selection const&,
                                Candidates&);

}  // namespace einkorn::perf
