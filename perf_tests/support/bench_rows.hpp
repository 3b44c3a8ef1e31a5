// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/candidates.hpp"
#include "support/counts.hpp"
#include "support/matrices.hpp"
#include "support/measure.hpp"
#include "support/progress.hpp"
#include "support/verify.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

/// Steps that bench_matrix() and bench_summary() share.
namespace einkorn::perf {

template <class Scalar>
constexpr char const* scalar_name() {
  if (is_complex<Scalar>) return "complex<double>";
  return std::is_same_v<Scalar, float> ? "float" : "double";
}

template <class Scalar, class Ordinal, class Offset>
Problem<Scalar, Ordinal, Offset> make_problem(Exec const& exec, std::string const& name) {
  progress::stage(name, name.rfind("gen:", 0) == 0 ? "generating" : "reading");
  auto const A = load_matrix<Scalar, Ordinal, Offset>(exec, name);
  auto const x = allocate<DenseVector<Scalar>>(exec, "x", static_cast<std::size_t>(A.num_cols));
  fill_by_hash(exec, x);
  return {exec, A, x, allocate<DenseVector<Scalar>>(exec, "y", static_cast<std::size_t>(A.num_rows))};
}

template <class Scalar, class Ordinal, class Offset>
void check_results(Problem<Scalar, Ordinal, Offset> const& problem, MatrixReport& report) {
  Reference<Scalar, Ordinal, Offset> const reference(problem);
  for (auto& result : report.results) {
    auto& candidate = result.candidate;
    if (!candidate.run || candidate.operation != "spmv") continue;
    try {
      auto const deviation = reference.check(candidate);
      result.error = deviation.worst;
      result.wrong = !deviation.within_bound;
      if (!result.graph) continue;
      Candidate replay = candidate;
      replay.run = [graph = result.graph] { (*graph)(); };
      result.wrong = result.wrong || !reference.check(replay).within_bound;
    } catch (std::exception const& failure) {
      candidate.run = nullptr;
      candidate.refusal = failure.what();
    }
  }
}

/// A report with the name, size and bytes of the matrix, without results.
template <class Scalar, class Ordinal, class Offset>
MatrixReport report_of(Problem<Scalar, Ordinal, Offset> const& problem, std::string const& name) {
  auto const counts = counts_of(problem.A);
  MatrixReport report;
  report.matrix = name;
  report.scalar = scalar_name<Scalar>();
  report.ordinal = sizeof(Ordinal) == 4 ? "int32" : "int64";
  report.rows = counts.rows;
  report.cols = counts.cols;
  report.nnz = counts.nnz;
  report.longest_row = static_cast<std::size_t>(row_lengths(problem.exec, problem.A).longest);
  report.csr_bytes = csr_bytes(counts);
  report.complex = is_complex<Scalar>;
  report.scalar_bytes = sizeof(Scalar);
  return report;
}

/// Checks (verify) and measures the rows, then frees them and their matrices.
template <class Scalar, class Ordinal, class Offset>
void check_and_measure(Problem<Scalar, Ordinal, Offset> const& problem, Candidates rows,
                       Bandwidth const& bandwidth, MeasureOptions const& measuring, bool verify,
                       MatrixReport& report) {
  for (auto& row : rows) report.results.push_back({std::move(row), {}, {}, 0.0, false});
  capture_graphs(problem.exec, measuring, report);
  if (verify) {
    progress::stage(report.matrix, "checking");
    check_results(problem, report);
  }
  progress::stage(report.matrix, "measuring");
  measure(problem.exec, bandwidth, measuring, report);
  for (auto& result : report.results) {
    result.graph = nullptr;
    result.candidate.run = nullptr;
  }
  progress::finish();
}

}  // namespace einkorn::perf
