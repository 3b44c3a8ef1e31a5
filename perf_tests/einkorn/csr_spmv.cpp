// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::perf {

namespace {

/// With selection.distinct: the choice of the plan first, and no kernel twice. On a host all algorithms by rows
/// run the same kernel.
std::vector<SpmvAlgorithm> algorithms_of(Selection const& selection, SpmvAlgorithm chosen) {
  using enum SpmvAlgorithm;
  if (!selection.distinct)
    return {row_thread, row_team, sorted_rows, row_bins, segmented_sum, nonzero_split, automatic};
  std::vector<SpmvAlgorithm> distinct{automatic};
  auto const all = is_gpu<Exec>
                       ? std::vector{row_thread, row_team, sorted_rows, row_bins, segmented_sum, nonzero_split}
                       : std::vector{row_team, segmented_sum};
  for (auto const algorithm : all)
    if (algorithm != chosen) distinct.push_back(algorithm);
  return distinct;
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_csr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  auto const bytes = csr_bytes(counts_of(problem.A));
  auto const chosen = make_spmv_plan(problem.exec, problem.A, {}, Checks::off).algorithm();
  for (auto const algorithm : algorithms_of(selection, chosen)) {
    Candidate row;
    row.format = "csr";
    row.algorithm = name_of(algorithm);
    row.bytes = bytes;
    row.is_default = algorithm == SpmvAlgorithm::automatic;
    if (!selection.wants(row.format, row.algorithm)) continue;
    rows.push_back(build_row(row, [&](Candidate& built) {
      SpmvOptions options;
      options.algorithm = algorithm;
      if (algorithm == SpmvAlgorithm::row_team) options.lanes = selection.lanes;
      auto plan = make_spmv_plan(problem.exec, problem.A, options, Checks::off);
      if (algorithm == SpmvAlgorithm::automatic) built.note = name_of(plan.algorithm());
      if (selection.distinct) built.algorithm = name_of(plan.algorithm());
      if (plan.lanes() > 0 && is_gpu<Exec>)
        built.note += (built.note.empty() ? "" : ", ") + std::to_string(plan.lanes()) + " lanes";
      auto const shared_plan = std::make_shared<decltype(plan)>(std::move(plan));
      built.run = [shared_plan, problem] {
        spmv(problem.exec, *shared_plan, Scalar(1), problem.x, Scalar(0), problem.y);
      };
    }));
  }
}

#ifndef EINKORN_BENCH_OTHER_SCALARS
template void add_csr(Problem<double, int, int> const&, Selection const&, Candidates&);
#else
template void add_csr(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_csr(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_csr(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);
#endif

}  // namespace einkorn::perf
