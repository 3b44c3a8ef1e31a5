// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/solve.hpp"

#if defined(EINKORN_WITH_CUSPARSE) && defined(EINKORN_WITH_CUBLAS)
#include "peers/cublas_device_solve.hpp"
#include "peers/cublas_library.hpp"
#include "support/counts.hpp"
#include "support/fastest.hpp"
#include "support/graph_replay.hpp"
#include "support/textbook.hpp"
#endif

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::perf {

#if defined(EINKORN_WITH_CUSPARSE) && defined(EINKORN_WITH_CUBLAS)

namespace {

/// The fastest of both algorithms of cuSPARSE, with and without preprocessing.
Fastest<CublasLibrary> fastest_library(SolveBench const& bench, CublasScalars scalars) {
  std::vector<Spmv<CublasLibrary>> variants;
  for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2})
    for (auto const preprocess : {vendor::CusparsePreprocess::off, vendor::CusparsePreprocess::on}) {
      std::string name = algorithm == CUSPARSE_SPMV_CSR_ALG1 ? "alg1" : "alg2";
      if (preprocess == vendor::CusparsePreprocess::on) name += "+preprocess";
      variants.push_back({name, [&bench, algorithm, preprocess, scalars] {
                            return std::make_shared<CublasLibrary const>(bench, algorithm, preprocess, scalars);
                          }});
    }
  return fastest(bench, variants);
}

void launch(SolveRow& row, std::shared_ptr<CublasDeviceSolve const> const& solver) {
  row.solve = [solver](int iterations) {
    solver->start();
    for (int k = 0; k < iterations; ++k) solver->iterate();
    return iterations;
  };
}

/// Iterations are captured back to back and replayed; the remainder is launched.
void replay(SolveRow& row, SolveBench const& bench, std::shared_ptr<CublasDeviceSolve const> const& solver) {
  solver->start();
  auto const graph = std::make_shared<GraphReplay const>(bench.exec, [solver] { solver->iterate(); });
  row.note += ", " + std::to_string(graph->copies()) + " iterations per graph";
  row.solve = [solver, graph](int iterations) {
    solver->start();
    int remaining = iterations;
    for (; remaining >= graph->copies(); remaining -= graph->copies()) (*graph)();
    for (; remaining > 0; --remaining) solver->iterate();
    return iterations;
  };
}

}  // namespace

void add_cusparse_cublas_solvers(SolveBench& bench) {
  auto const counts = counts_of(bench.A);
  for (char const* const execution : {"host_scalars", "device_scalars", "graph"}) {
    SolveRow row;
    row.library = "cusparse+cublas";
    row.format = "csr";
    row.execution = execution;
    row.matrix_bytes = csr_bytes(counts) - vector_bytes(counts);
    bool const on_host = row.execution == "host_scalars";
    bench.add(row, [&](SolveRow& built) {
      auto const [name, library] =
          fastest_library(bench, on_host ? CublasScalars::on_host : CublasScalars::on_device);
      built.note = "spmv " + name;
      if (on_host) return run_textbook(built, bench, library);
      built.vectors = textbook_vectors(bench.method, CublasLibrary::xpay_vectors, false);
      auto const solver = std::make_shared<CublasDeviceSolve const>(bench, library);
      if (built.execution == "graph")
        replay(built, bench, solver);
      else
        launch(built, solver);
    });
  }
}

#else

void add_cusparse_cublas_solvers(SolveBench&) {}

#endif

}  // namespace einkorn::perf
