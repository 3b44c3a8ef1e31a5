// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#ifdef EINKORN_WITH_CUSPARSE
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/vendor/cusparse_bsr_spmv.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::perf {

#ifdef EINKORN_WITH_CUSPARSE

namespace {

/// Runs `operation` on the arrays of Einkorn's Bsr, so that both libraries multiply the same blocks.
template <class Operation, class Scalar, class Ordinal, class Offset>
void run_with(Operation const& operation, Problem<Scalar, Ordinal, Offset> const& problem, Candidate& built) {
  built.run = [operation, problem] { (*operation)(Scalar(1), problem.x, Scalar(0), problem.y); };
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_cusparse_bsr(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows) {
  Candidate row;
  row.library = "cusparse";
  row.format = "bsr";
  vendor::CusparseBsr<Scalar, Ordinal, Offset> blocks;
  row = build_row(row, [&](Candidate& found) {
    BsrOptions options;
    options.checks = Checks::off;
    auto const F = from_csr<Bsr>(problem.exec, problem.A, options);
    blocks = vendor::cusparse_bsr(F);
    found.bytes = F.bytes() + vector_bytes(counts_of(problem.A));
    found.note = "blocks of " + std::to_string(F.block_size);
  });
  auto const add = [&](char const* algorithm, auto const& build) {
    row.algorithm = algorithm;
    rows.push_back(row.refusal.empty() ? build_row(row, build) : row);
  };
#if CUSPARSE_VERSION >= 12603
  add("alg1", [&](Candidate& built) {
    using Spmv = vendor::CusparseSpmv<Scalar>;
    run_with(std::make_shared<Spmv const>(problem.exec, blocks), problem, built);
  });
#endif
  if constexpr (std::is_same_v<Ordinal, int> && std::is_same_v<Offset, int>)
    add("bsrmv", [&](Candidate& built) {
      using Bsrmv = vendor::CusparseBsrmv<Scalar>;
      run_with(std::make_shared<Bsrmv const>(problem.exec, blocks), problem, built);
    });
}

#else

template <class Scalar, class Ordinal, class Offset>
void add_cusparse_bsr(Problem<Scalar, Ordinal, Offset> const&, Candidates&) {}

#endif

template void add_cusparse_bsr(Problem<double, int, int> const&, Candidates&);
template void add_cusparse_bsr(Problem<float, int, int> const&, Candidates&);
template void add_cusparse_bsr(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);
template void add_cusparse_bsr(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
