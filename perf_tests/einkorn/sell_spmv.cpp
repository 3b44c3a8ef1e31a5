// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "format_rows.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <cstdint>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_sell(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  auto const slices = [](auto const& F) {
    return "slices of " + std::to_string(F.slice_rows) + (F.rows.extent(0) > 0 ? ", sorted" : "");
  };
  add_format<Sell>(problem, selection, rows, row_of("sell", "row_thread"), SellOptions{}, slices);
  add_format<Sell>(problem, selection, rows, row_of("sell", "row_thread_16"),
                   SellOptions{.indices = Indices::compressed},
                   [slices](auto const& F) { return slices(F) + share_of_codes(F, F.num_slices()); });
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_sell(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_sell(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_sell(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_sell(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
