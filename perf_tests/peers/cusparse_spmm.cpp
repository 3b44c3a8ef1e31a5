// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/spmm.hpp"

#ifdef EINKORN_WITH_CUSPARSE
#include <einkorn/formats/vendor/cusparse_spmm.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

#ifdef EINKORN_WITH_CUSPARSE

template <class Scalar, class Layout>
void add_cusparse_spmm(SpmmProblem<Scalar, Layout> const& problem, Candidates& rows) {
  using Spmm = vendor::CusparseSpmm<Scalar, Layout>;
  using vendor::CusparsePreprocess;
  struct Named {
    char const* name;
    cusparseSpMMAlg_t algorithm;
  };
  auto const counts = counts_of(problem.A);
  for (auto const [name, algorithm] :
       {Named{"default", CUSPARSE_SPMM_ALG_DEFAULT}, Named{"alg1", CUSPARSE_SPMM_CSR_ALG1},
        Named{"alg2", CUSPARSE_SPMM_CSR_ALG2}, Named{"alg3", CUSPARSE_SPMM_CSR_ALG3}})
    for (auto const preprocess : {CusparsePreprocess::off, CusparsePreprocess::on}) {
      Candidate row;
      row.library = "cusparse";
      row.format = "csr";
      row.bytes = csr_bytes(counts) + (problem.y.extent(1) - 1) * vector_bytes(counts);
      row.algorithm = name;
      if (preprocess == CusparsePreprocess::on) row.algorithm += "+preprocess";
      rows.push_back(build_row(row, [&, algorithm = algorithm](Candidate& built) {
        auto const operation =
            std::make_shared<Spmm const>(problem.exec, problem.A, problem.x, problem.y, algorithm, preprocess);
        built.run = [operation] { (*operation)(Scalar(1), Scalar(0)); };
      }));
    }
}

#else

template <class Scalar, class Layout>
void add_cusparse_spmm(SpmmProblem<Scalar, Layout> const&, Candidates&) {}

#endif

template void add_cusparse_spmm(SpmmProblem<double, Kokkos::LayoutLeft> const&, Candidates&);
template void add_cusparse_spmm(SpmmProblem<double, Kokkos::LayoutRight> const&, Candidates&);
template void add_cusparse_spmm(SpmmProblem<float, Kokkos::LayoutLeft> const&, Candidates&);
template void add_cusparse_spmm(SpmmProblem<float, Kokkos::LayoutRight> const&, Candidates&);

}  // namespace einkorn::perf
