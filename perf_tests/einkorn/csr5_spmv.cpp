// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "csr5_counts.hpp"
#include "format_rows.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

namespace {

template <class Matrix>
auto to_csr5(Exec const& exec, Matrix const& A, Csr5Options options, Checks checks) {
  options.checks = checks;
  return from_csr<Csr5>(exec, A, options);
}

/// @param prefix of the names of the conversions
template <class Scalar, class Ordinal, class Offset>
void add_tiles(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows,
               char const* algorithm, std::string const& prefix, Csr5Options const& options) {
  using Format = Csr5<Scalar, Ordinal, Offset, Device>;
  auto const tiles = row_of("csr5", algorithm);
  if (!selection.wants(tiles.format, tiles.algorithm)) return;
  auto const& A = problem.A;
  auto const F = std::make_shared<Format>();
  rows.push_back(build_row(tiles, [&](Candidate& built) {
    *F = to_csr5(problem.exec, A, options, Checks::off);
    auto plan = make_spmv_plan(problem.exec, *F);
    built.bytes = csr5_bytes(counts_of(A), counts_of_tiles(*F)) - bytes_saved_by_codes(*F);
    built.note = std::to_string(F->shape.lanes) + " lanes, sigma " + std::to_string(F->shape.sigma);
    if (options.indices == Indices::compressed) built.note += share_of_codes(*F, F->num_tiles);
    auto const shared_plan = std::make_shared<decltype(plan)>(std::move(plan));
    built.run = [shared_plan, problem] {
      spmv(problem.exec, *shared_plan, Scalar(1), problem.x, Scalar(0), problem.y);
    };
  }));
  if (!rows.back().run) return;

  Candidate conversion;
  conversion.operation = "conversion";
  conversion.format = tiles.format;
  conversion.bytes = csr5_conversion_bytes(counts_of(A), counts_of_tiles(*F)) - bytes_saved_by_codes(*F);
  conversion.algorithm = prefix + "from_csr";
  conversion.converts_to = algorithm;
  time_making(conversion,
              [problem, options] { return to_csr5(problem.exec, problem.A, options, Checks::off); });
  rows.push_back(conversion);
  conversion.algorithm = prefix + "from_csr with checks";
  conversion.converts_to.clear();
  time_making(conversion, [problem, options] { return to_csr5(problem.exec, problem.A, options, Checks::on); });
  rows.push_back(conversion);
  conversion.after = {};
  conversion.bytes = value_update_bytes(counts_of(A));
  conversion.algorithm = prefix + "update_values";
  conversion.run = [F, problem] { update_values(problem.exec, *F, problem.A, Checks::off); };
  rows.push_back(conversion);
  conversion.algorithm = prefix + "update_values with checks";
  conversion.run = [F, problem] { update_values(problem.exec, *F, problem.A, Checks::on); };
  rows.push_back(conversion);
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_csr5(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  Csr5Options options;
  options.sigma = selection.sigma;
  add_tiles(problem, selection, rows, "tiles", "", options);
  options.indices = Indices::compressed;
  add_tiles(problem, selection, rows, "tiles_16", "tiles_16 ", options);
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_csr5(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_csr5(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_csr5(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_csr5(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
