// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#ifdef EINKORN_WITH_CUSPARSE
#include <einkorn/formats/vendor/cusparse_spmv.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

#ifdef EINKORN_WITH_CUSPARSE

namespace {

template <class Scalar, class Ordinal, class Offset>
std::function<void()> runner(Problem<Scalar, Ordinal, Offset> const& problem,
                             std::shared_ptr<vendor::CusparseSpmv<Scalar> const> const& operation) {
  return [operation, problem] { (*operation)(Scalar(1), problem.x, Scalar(0), problem.y); };
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_cusparse(Problem<Scalar, Ordinal, Offset> const& problem, Candidates& rows) {
  using Spmv = vendor::CusparseSpmv<Scalar>;
  using vendor::CusparsePreprocess;
  auto const counts = counts_of(problem.A);
  Candidate row;
  row.library = "cusparse";
  row.format = "csr";
  row.bytes = csr_bytes(counts);
  // Each row has its own descriptor: a descriptor preprocessed for ALG1 and used for ALG2 is faster (414 us
  // instead of 584, stencil27:160 in double, cuSPARSE of CUDA 13.0 on an H200) and gives wrong results.
  for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2})
    for (auto const preprocess : {CusparsePreprocess::off, CusparsePreprocess::on}) {
      row.algorithm = algorithm == CUSPARSE_SPMV_CSR_ALG1 ? "alg1" : "alg2";
      if (preprocess == CusparsePreprocess::on) row.algorithm += "+preprocess";
      rows.push_back(build_row(row, [&](Candidate& built) {
        built.run =
            runner(problem, std::make_shared<Spmv const>(problem.exec, problem.A, algorithm, preprocess));
      }));
    }
  row.format = "coo";
  row.bytes = coo_bytes(counts);
  for (auto const algorithm : {CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}) {
    row.algorithm = algorithm == CUSPARSE_SPMV_COO_ALG1 ? "alg1" : "alg2";
    rows.push_back(build_row(row, [&](Candidate& built) {
      vendor::CusparseCoo<Scalar, Ordinal, Offset> const coo(problem.exec, problem.A);
      built.run = runner(problem, std::make_shared<Spmv const>(problem.exec, coo, algorithm));
    }));
  }
  row.format = "sell";
  row.algorithm = "alg1";
  row.bytes = 0;
  rows.push_back(build_row(row, [&](Candidate& built) {
    vendor::CusparseSell<Scalar, Ordinal> const sell(problem.exec, problem.A);
    built.bytes = sell_bytes(counts, sell.values.extent(0), sell.slice_offsets.extent(0) - 1);
    built.note = "slices of " + std::to_string(sell.slice_size);
    built.run = runner(problem, std::make_shared<Spmv const>(problem.exec, sell));
  }));
}

#else

template <class Scalar, class Ordinal, class Offset>
void add_cusparse(Problem<Scalar, Ordinal, Offset> const&, Candidates&) {}

#endif

template void add_cusparse(Problem<double, int, int> const&, Candidates&);
template void add_cusparse(Problem<float, int, int> const&, Candidates&);
template void add_cusparse(Problem<Kokkos::complex<double>, int, int> const&, Candidates&);
template void add_cusparse(Problem<double, std::int64_t, std::size_t> const&, Candidates&);

}  // namespace einkorn::perf
