// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset>
void add_csr(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  auto const bytes = csr_bytes(counts_of(problem.A));
  for (auto const algorithm :
       {SpmvAlgorithm::row_thread, SpmvAlgorithm::row_team, SpmvAlgorithm::sorted_rows, SpmvAlgorithm::row_bins,
        SpmvAlgorithm::segmented_sum, SpmvAlgorithm::automatic}) {
    Candidate row;
    row.format = "csr";
    row.algorithm = name_of(algorithm);
    row.bytes = bytes;
    if (!selection.wants(row.format, row.algorithm)) continue;
    rows.push_back(built_or_refused(row, [&](Candidate& built) {
      SpmvOptions options;
      options.algorithm = algorithm;
      if (algorithm == SpmvAlgorithm::row_team) options.lanes = selection.lanes;
      auto plan = make_spmv_plan(problem.exec, problem.A, options, Checks::off);
      if (algorithm == SpmvAlgorithm::automatic) built.note = name_of(plan.algorithm());
      if (plan.lanes() > 0 && is_gpu<Exec>)
        built.note += (built.note.empty() ? "" : ", ") + std::to_string(plan.lanes()) + " lanes";
      auto const kept = std::make_shared<decltype(plan)>(std::move(plan));
      built.run = [kept, problem] { spmv(problem.exec, *kept, Scalar(1), problem.x, Scalar(0), problem.y); };
    }));
  }
}

template void add_csr(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_csr(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_csr(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_csr(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
