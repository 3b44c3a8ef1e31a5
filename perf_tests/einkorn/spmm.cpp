// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/spmm.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

namespace einkorn::perf {

namespace {

/// Adds one row. make() returns a plan of spmv and the bytes of the matrix that one SpMM moves.
template <class P, class Make>
void add_row(P const& problem, Selection const& selection, Candidates& rows, char const* format,
             char const* algorithm, Make const& make) {
  if (!selection.wants(format, algorithm)) return;
  Candidate row;
  row.format = format;
  row.algorithm = algorithm;
  rows.push_back(build_row(row, [&](Candidate& built) {
    auto const [plan, bytes] = make();
    auto const shared_plan = std::make_shared<std::decay_t<decltype(plan)>>(plan);
    built.bytes = bytes + problem.y.extent(1) * vector_bytes(counts_of(problem.A));
    using Scalar = typename std::decay_t<decltype(problem.y)>::value_type;
    built.run = [shared_plan, problem] {
      spmv(problem.exec, *shared_plan, Scalar(1), problem.x, Scalar(0), problem.y);
    };
  }));
}

}  // namespace

template <class Scalar, class Layout>
void add_spmm(SpmmProblem<Scalar, Layout> const& problem, Selection const& selection, Candidates& rows) {
  auto const counts = counts_of(problem.A);
  auto const by_csr = [&](char const* algorithm, SpmvOptions const& options) {
    add_row(problem, selection, rows, "csr", algorithm, [&] {
      return std::pair(make_spmv_plan(problem.exec, problem.A, options, Checks::off),
                       csr_bytes(counts) - vector_bytes(counts));
    });
  };
  by_csr("row_team", {.algorithm = SpmvAlgorithm::row_team});
  by_csr("automatic", {});
  if constexpr (is_gpu<Exec> && std::is_same_v<Layout, Kokkos::LayoutLeft>)  // other plans have no pack buffer
    by_csr("automatic+buffer", {.columns = static_cast<int>(problem.y.extent(1))});
  add_row(problem, selection, rows, "brcv", "row_team", [&] {
    auto const F = from_csr<Brcv>(problem.exec, problem.A);
    return std::pair(make_spmv_plan(problem.exec, F), F.bytes());
  });
  add_row(problem, selection, rows, "sell", "row_thread", [&] {
    auto const F = from_csr<Sell>(problem.exec, problem.A);
    return std::pair(make_spmv_plan(problem.exec, F), F.bytes());
  });
}

template void add_spmm(SpmmProblem<double, Kokkos::LayoutLeft> const&, Selection const&, Candidates&);
template void add_spmm(SpmmProblem<double, Kokkos::LayoutRight> const&, Selection const&, Candidates&);
template void add_spmm(SpmmProblem<float, Kokkos::LayoutLeft> const&, Selection const&, Candidates&);
template void add_spmm(SpmmProblem<float, Kokkos::LayoutRight> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
