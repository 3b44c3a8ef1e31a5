// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "csr5_counts.hpp"
#include "format_rows.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::perf {

namespace {

/// Adds one row. make(row) sets the bytes of the matrix and a note and returns the plan.
template <class P, class Make>
void add_row(P const& problem, Selection const& selection, Candidates& rows, char const* format,
             char const* algorithm, Make const& make) {
  auto row = row_of(format, algorithm);
  row.value_epsilon = std::numeric_limits<float>::epsilon();
  row.value_denorm = std::numeric_limits<float>::denorm_min();
  if (!selection.wants(row.format, row.algorithm)) return;
  rows.push_back(build_row(row, [&](Candidate& built) {
    auto plan = make(built);
    built.bytes += vector_bytes(counts_of(problem.A));
    auto const shared_plan = std::make_shared<decltype(plan)>(std::move(plan));
    built.run = [shared_plan, problem] { spmv(problem.exec, *shared_plan, 1.0, problem.x, 0.0, problem.y); };
  }));
}

template <template <class, class, class, class> class Format, class P, class Matrix, class Options>
void add_format_row(P const& problem, Matrix const& A, Selection const& selection, Candidates& rows,
                    char const* format, char const* algorithm, Options options) {
  add_row(problem, selection, rows, format, algorithm, [&](Candidate& row) {
    options.checks = Checks::off;
    auto const F = from_csr<Format>(problem.exec, A, options);
    row.bytes = F.bytes();
    if constexpr (std::is_same_v<Options, SellOptions>)
      if (options.indices == Indices::compressed) row.note = share_of_codes(F, F.num_slices()).substr(2);
    return make_spmv_plan<double>(problem.exec, F);
  });
}

template <class P, class Matrix>
void add_tiles(P const& problem, Matrix const& A, Selection const& selection, Candidates& rows,
               char const* algorithm, Indices indices) {
  add_row(problem, selection, rows, "csr5", algorithm, [&](Candidate& row) {
    Csr5Options options;
    options.sigma = selection.sigma;
    options.checks = Checks::off;
    options.indices = indices;
    auto const F = from_csr<Csr5>(problem.exec, A, options);
    auto const counts = counts_of(A);
    row.bytes = csr5_bytes(counts, counts_of_tiles(F)) - vector_bytes(counts) - bytes_saved_by_codes(F);
    row.note = std::to_string(F.shape.lanes) + " lanes, sigma " + std::to_string(F.shape.sigma);
    if (indices == Indices::compressed) row.note += share_of_codes(F, F.num_tiles);
    return make_spmv_plan<double>(problem.exec, F);
  });
}

template <class P>
void add_all(P const& problem, Selection const& selection, Candidates& rows) {
  decltype(convert_values<float>(problem.exec, problem.A)) A;
  auto const converted = build_row(row_of("csr", "automatic_float_values"),
                                   [&](Candidate&) { A = convert_values<float>(problem.exec, problem.A); });
  if (!converted.refusal.empty()) return rows.push_back(converted);
  add_row(problem, selection, rows, "csr", "automatic_float_values", [&](Candidate& row) {
    auto plan = make_spmv_plan<double>(problem.exec, A, SpmvOptions{}, Checks::off);
    row.bytes = csr_bytes(counts_of(A)) - vector_bytes(counts_of(A));
    row.note = name_of(plan.algorithm());
    return plan;
  });
  add_tiles(problem, A, selection, rows, "tiles_float_values", Indices::full);
  add_tiles(problem, A, selection, rows, "tiles_16_float_values", Indices::compressed);
  add_format_row<Ell>(problem, A, selection, rows, "ell", "row_thread_float_values", EllOptions{});
  add_format_row<Sell>(problem, A, selection, rows, "sell", "row_thread_float_values", SellOptions{});
  add_format_row<Sell>(problem, A, selection, rows, "sell", "row_thread_16_float_values",
                       SellOptions{.indices = Indices::compressed});
  add_format_row<Dia>(problem, A, selection, rows, "dia", "row_thread_float_values", DiaOptions{});
  add_format_row<Bdia>(problem, A, selection, rows, "bdia", "window_float_values", BdiaOptions{});
  add_format_row<Bsr>(problem, A, selection, rows, "bsr", "block_row_float_values", BsrOptions{});
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_float_values([[maybe_unused]] Problem<Scalar, Ordinal, Offset> const& problem,
                      [[maybe_unused]] Selection const& selection, [[maybe_unused]] Candidates& rows) {
  if constexpr (std::is_same_v<Scalar, double>) add_all(problem, selection, rows);
}

template void add_float_values(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_float_values(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_float_values(Problem<Kokkos::complex<double>, int, int> const&, Selection const&,
                               Candidates&);
template void add_float_values(Problem<double, std::int64_t, std::size_t> const&, Selection const&,
                               Candidates&);

}  // namespace einkorn::perf
