// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/matrices.hpp"
#include "support/progress.hpp"
#include "support/spmm.hpp"
#include "support/verify.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

namespace einkorn::perf {

namespace {

template <class Scalar, class Layout>
void fill(Exec const& exec, Kokkos::View<Scalar**, Layout, Device> const& x) {
  DenseVector<Scalar> const all("einkorn::perf::random", x.extent(0) * x.extent(1));
  fill_by_hash(exec, all);
  auto const columns = x.extent(1);
  Kokkos::parallel_for(
      "einkorn::perf::fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, all.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { x(i / columns, i % columns) = all(i); });
}

/// Compares the first, the middle and the last column with the reference, each with a Y full of NaN.
template <class Scalar, class Layout>
void check_results(SpmmProblem<Scalar, Layout> const& problem, MatrixReport& report) {
  auto const k = problem.y.extent(1);
  Problem<Scalar, int, int> column_problem{
      problem.exec, problem.A, {}, DenseVector<Scalar>("y", problem.y.extent(0))};
  for (std::size_t const column : {std::size_t(0), k / 2, k - 1}) {
    DenseVector<Scalar> const x("x", problem.x.extent(0));
    Kokkos::deep_copy(problem.exec, x, Kokkos::subview(problem.x, Kokkos::ALL, column));
    column_problem.x = x;
    Reference<Scalar, int, int> const reference(column_problem);
    for (auto& result : report.results) {
      if (!result.candidate.run || result.candidate.operation != "spmv") continue;
      try {
        Candidate column_row;
        column_row.run = [&] {
          Kokkos::deep_copy(problem.exec, problem.y, std::numeric_limits<Scalar>::quiet_NaN());
          result.candidate.run();
          Kokkos::deep_copy(problem.exec, column_problem.y, Kokkos::subview(problem.y, Kokkos::ALL, column));
        };
        auto const deviation = reference.check(column_row);
        result.error = std::max(result.error, deviation.worst);
        result.wrong = result.wrong || !deviation.within_bound;
      } catch (std::exception const& failure) {
        result.candidate.run = nullptr;
        result.candidate.refusal = failure.what();
      }
    }
  }
}

}  // namespace

template <class Scalar, class Layout>
MatrixReport bench_spmm(Exec const& exec, Bandwidth const& bandwidth, std::string const& name, int columns,
                        Selection const& selection, MeasureOptions const& measuring, bool verify) {
  progress::stage(name, "reading or generating");
  auto const A = load_matrix<Scalar, int, int>(exec, name);
  auto const k = static_cast<std::size_t>(columns);
  Kokkos::View<Scalar**, Layout, Device> const x("x", static_cast<std::size_t>(A.num_cols), k);
  Kokkos::View<Scalar**, Layout, Device> const y("y", static_cast<std::size_t>(A.num_rows), k);
  fill(exec, x);
  SpmmProblem<Scalar, Layout> const problem{exec, A, x, y};
  auto const counts = counts_of(A);
  MatrixReport report;
  report.matrix = name;
  report.scalar = std::is_same_v<Scalar, float> ? "float" : "double";
  report.ordinal = "int32";
  report.rows = counts.rows;
  report.cols = counts.cols;
  report.nnz = counts.nnz;
  report.columns = columns;
  report.layout = std::is_same_v<Layout, Kokkos::LayoutLeft> ? "left" : "right";
  report.longest_row = static_cast<std::size_t>(row_lengths(exec, A).longest);
  report.csr_bytes = csr_bytes(counts) + (k - 1) * vector_bytes(counts);
  progress::stage(name, "converting");
  Candidates rows;
  add_spmm(problem, selection, rows);
  if (selection.peers) {
    add_kokkos_kernels_spmm(problem, rows);
    add_cusparse_spmm(problem, rows);
  }
  for (auto& row : rows) report.results.push_back({std::move(row), {}, {}, 0.0, false});
  if (verify && k > 0 && counts.rows > 0) check_results(problem, report);
  progress::stage(name, "measuring");
  measure(exec, bandwidth, measuring, report);
  for (auto& result : report.results) result.candidate.run = nullptr;  // frees the matrices
  return report;
}

template MatrixReport bench_spmm<double, Kokkos::LayoutLeft>(Exec const&, Bandwidth const&, std::string const&,
                                                             int, Selection const&, MeasureOptions const&,
                                                             bool);
template MatrixReport bench_spmm<double, Kokkos::LayoutRight>(Exec const&, Bandwidth const&, std::string const&,
                                                              int, Selection const&, MeasureOptions const&,
                                                              bool);
template MatrixReport bench_spmm<float, Kokkos::LayoutLeft>(Exec const&, Bandwidth const&, std::string const&,
                                                            int, Selection const&, MeasureOptions const&, bool);
template MatrixReport bench_spmm<float, Kokkos::LayoutRight>(Exec const&, Bandwidth const&, std::string const&,
                                                             int, Selection const&, MeasureOptions const&,
                                                             bool);

}  // namespace einkorn::perf
