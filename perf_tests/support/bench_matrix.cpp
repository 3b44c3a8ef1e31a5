// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/bench_matrix.hpp"
#include "support/candidates.hpp"
#include "support/counts.hpp"
#include "support/matrices.hpp"
#include "support/verify.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <type_traits>
#include <utility>

namespace einkorn::perf {

namespace {

template <class Scalar>
constexpr char const* scalar_name() {
  if (is_complex<Scalar>) return "complex<double>";
  return std::is_same_v<Scalar, float> ? "float" : "double";
}

template <class Scalar, class Ordinal, class Offset>
Problem<Scalar, Ordinal, Offset> problem_of(Exec const& exec, std::string const& name) {
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

}  // namespace

template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_matrix(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                          Selection const& selection, Rule const& rule, bool verify) {
  std::cerr << "einkorn-bench: " << name << ": reading or generating\n";
  auto const problem = problem_of<Scalar, Ordinal, Offset>(exec, name);
  auto const counts = counts_of(problem.A);
  MatrixReport report;
  report.matrix = name;
  report.scalar = scalar_name<Scalar>();
  report.ordinal = sizeof(Ordinal) == 4 ? "int32" : "int64";
  report.rows = counts.rows;
  report.cols = counts.cols;
  report.nnz = counts.nnz;
  report.longest_row = static_cast<std::size_t>(row_lengths(exec, problem.A).longest);
  report.csr_bytes = csr_bytes(counts);
  report.complex = is_complex<Scalar>;
  report.scalar_bytes = sizeof(Scalar);

  std::cerr << "einkorn-bench: " << name << ": converting\n";
  Candidates rows;
  add_csr(problem, selection, rows);
  add_half(problem, selection, rows);
  add_csr5(problem, selection, rows);
  add_coo(problem, selection, rows);
  add_ell(problem, selection, rows);
  add_sell(problem, selection, rows);
  add_hyb(problem, selection, rows);
  add_dia(problem, selection, rows);
  add_bdia(problem, selection, rows);
  add_bsr(problem, selection, rows);
  add_brcv(problem, selection, rows);
  add_float_values(problem, selection, rows);
  if (selection.select) add_select(problem, rows);
  if (selection.peers) {
    add_kokkos_kernels(problem, rows);
    add_kokkos_kernels_bsr(problem, rows);
    add_cusparse(problem, rows);
    add_cusparse_bsr(problem, rows);
    add_eigen(problem, rows);
  }
  for (auto& row : rows) report.results.push_back({std::move(row), {}, {}, 0.0, false});
  capture_graphs(exec, rule, report);
  if (verify) check_results(problem, report);
  measure(exec, bandwidth, rule, report);
  for (auto& result : report.results) {  // and with them the matrices
    result.graph = nullptr;
    result.candidate.run = nullptr;
  }
  return report;
}

template MatrixReport bench_matrix<double, int, int>(Exec const&, Bandwidth const&, std::string const&,
                                                     Selection const&, Rule const&, bool);
template MatrixReport bench_matrix<float, int, int>(Exec const&, Bandwidth const&, std::string const&,
                                                    Selection const&, Rule const&, bool);
template MatrixReport bench_matrix<Kokkos::complex<double>, int, int>(Exec const&, Bandwidth const&,
                                                                      std::string const&, Selection const&,
                                                                      Rule const&, bool);
template MatrixReport bench_matrix<double, std::int64_t, std::size_t>(Exec const&, Bandwidth const&,
                                                                      std::string const&, Selection const&,
                                                                      Rule const&, bool);

}  // namespace einkorn::perf
