// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

namespace {

template <class Format>
Csr5Counts counts_of_tiles(Format const& F) {
  Csr5Counts counts;
  counts.tiles = static_cast<std::size_t>(F.num_tiles);
  counts.lanes = static_cast<std::size_t>(F.shape.lanes);
  counts.words = static_cast<std::size_t>(F.shape.words());
  counts.empty_begin = F.empty_begin.extent(0);
  counts.empty_offsets = F.empty_offsets.extent(0);
  counts.empty_rows = F.empty_rows.extent(0);
  if (F.tail_begin() < F.nnz()) counts.tail_rows = static_cast<std::size_t>(F.num_rows - F.tail_row);
  return counts;
}

template <class Matrix>
auto to_csr5(Exec const& exec, Matrix const& A, int sigma, Checks checks) {
  Csr5Options options;
  options.sigma = sigma;
  options.checks = checks;
  return from_csr<Csr5>(exec, A, options);
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_csr5(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  using Format = Csr5<Scalar, Ordinal, Offset, Device>;
  Candidate tiles;
  tiles.format = "csr5";
  tiles.algorithm = "tiles";
  if (!selection.wants(tiles.format, tiles.algorithm)) return;
  auto const& A = problem.A;
  auto const F = std::make_shared<Format>();
  rows.push_back(built_or_refused(tiles, [&](Candidate& built) {
    *F = to_csr5(problem.exec, A, selection.sigma, Checks::off);
    auto plan = make_spmv_plan(problem.exec, *F);
    built.bytes = csr5_bytes(counts_of(A), counts_of_tiles(*F));
    built.note = std::to_string(F->shape.lanes) + " lanes, sigma " + std::to_string(F->shape.sigma);
    auto const kept = std::make_shared<decltype(plan)>(std::move(plan));
    built.run = [kept, problem] { spmv(problem.exec, *kept, Scalar(1), problem.x, Scalar(0), problem.y); };
  }));
  if (!rows.back().run) return;

  Candidate conversion;
  conversion.operation = "conversion";
  conversion.format = tiles.format;
  conversion.bytes = csr5_conversion_bytes(counts_of(A), counts_of_tiles(*F));
  int const sigma = selection.sigma;
  conversion.algorithm = "from_csr";
  conversion.run = [problem, sigma] { (void)to_csr5(problem.exec, problem.A, sigma, Checks::off); };
  rows.push_back(conversion);
  conversion.algorithm = "from_csr with checks";
  conversion.run = [problem, sigma] { (void)to_csr5(problem.exec, problem.A, sigma, Checks::on); };
  rows.push_back(conversion);
  conversion.bytes = value_update_bytes(counts_of(A));
  conversion.algorithm = "update_values";
  conversion.run = [F, problem] { update_values(problem.exec, *F, problem.A, Checks::off); };
  rows.push_back(conversion);
  conversion.algorithm = "update_values with checks";
  conversion.run = [F, problem] { update_values(problem.exec, *F, problem.A, Checks::on); };
  rows.push_back(conversion);
}

template void add_csr5(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_csr5(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_csr5(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_csr5(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
