// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/counts.hpp"
#include "support/matrices.hpp"
#include "support/progress.hpp"
#include "support/solve.hpp"
#include "support/solve_reference.hpp"
#include "support/timing.hpp"
#include "support/verify.hpp"

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace einkorn::perf {

namespace {

constexpr double run_seconds = 20e-3;
constexpr int min_iterations = 20, max_iterations = 192;
constexpr int graph_iterations = 32;   // per replay if they are short (graph_replay.hpp)
constexpr double max_decades = 100.0;  // limit of the residual reduction, so that r.r does not underflow

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
using Matrix = Csr<double, int, int, Device>;

void fill_right_hand_side(Exec const& exec, Matrix const& A, DenseVector<double> const& b) {
  fill_by_hash(exec, b);
  Kokkos::parallel_for(
      "einkorn::perf::right_hand_side", Range(exec, 0, A.num_rows), KOKKOS_LAMBDA(int row) {
        double sum = 0.0, size = 0.0;
        for (int k = A.row_begin(row); k < A.row_end(row); ++k) {
          sum += A.values(k);
          size += Kokkos::fabs(A.values(k));
        }
        b(row) = sum + b(row) * size;
      });
}

int invert_diagonal(Exec const& exec, Matrix const& A, DenseVector<double> const& inverse) {
  int missing = 0;
  Kokkos::parallel_reduce(
      "einkorn::perf::inverse_diagonal", Range(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(int row, int& count) {
        double entry = 0.0;
        for (int k = A.row_begin(row); k < A.row_end(row); ++k)
          if (A.columns(k) == row) entry += A.values(k);
        if (!(Kokkos::fabs(entry) > 0.0)) ++count;
        inverse(row) = 1.0 / entry;
      },
      missing);
  return missing;
}

SolveBench make_system(Exec const& exec, std::string const& name, SolveRequest const& request,
                       Selection const& selection) {
  Method const method = request.method;
  SolveBench bench;
  bench.exec = exec;
  bench.method = method;
  bench.records_history = request.history > 0;
  bench.selection = selection;
  bench.A = load_matrix<double, int, int>(exec, name);
  require<InvalidArgument>(bench.A.num_rows == bench.A.num_cols && bench.A.num_rows > 0,
                           "solvers need a square matrix that is not empty");
  auto const n = static_cast<std::size_t>(bench.A.num_rows);
  DenseVector<double> const b("einkorn::perf::b", n);
  fill_right_hand_side(exec, bench.A, b);
  bench.b = b;
  bench.x = DenseVector<double>("einkorn::perf::x", n);
  if (method == Method::jacobi_pcg) {
    DenseVector<double> const inverse("einkorn::perf::inverse_diagonal", n);
    int const missing = invert_diagonal(exec, bench.A, inverse);
    require<InvalidArgument>(missing == 0, [&] {
      return std::to_string(missing) +
             " rows have no diagonal entry or a zero one; jacobi-pcg needs all of them";
    });
    bench.inverse_diagonal = inverse;
  }
  return bench;
}

/// Solves from an x full of NaN, which must be overwritten. Returns the reason of a failure, else "".
std::string solve_and_compare(SolveBench const& bench, SolveRow const& row, int iterations, double reference,
                              double& residual) {
  Kokkos::deep_copy(bench.exec, bench.x, std::numeric_limits<double>::quiet_NaN());
  int const done = row.solve(iterations);
  residual = true_residual(bench);
  return disagreement(done, iterations, residual, reference);
}

void refuse(SolveResult& result, std::string const& reason) {
  result.row.solve = nullptr;
  result.row.refusal = reason;
}

void check_results(SolveBench const& bench, SolveTable& table) {
  for (auto& result : table.results) {
    if (!result.row.solve) continue;
    run_or_refuse(result.row, [&] {
      auto const reason = solve_and_compare(bench, result.row, table.checked_iterations,
                                            table.reference_residual, result.checked_residual);
      if (reason.empty()) return;
      result.wrong = true;
      refuse(result, reason);
    });
  }
}

/// The number of iterations of the fastest row in run_seconds, from min_iterations to max_iterations.
int choose_iterations(SolveBench const& bench, SolveTable& table, std::vector<long double> const& history) {
  int limit = max_iterations, probe = min_iterations;
  if (history.size() > 1) {
    auto const steps = static_cast<double>(history.size() - 1);
    double const decades = -std::log10(static_cast<double>(history.back())) / steps;
    if (decades > 0.0) limit = std::max(1, static_cast<int>(std::min<double>(limit, max_decades / decades)));
    probe = std::min(probe, limit);
  }
  double fastest = std::numeric_limits<double>::infinity();
  for (auto& result : table.results) {
    if (!result.row.solve) continue;
    run_or_refuse(result.row, [&] {
      result.row.solve(probe);
      fastest = std::min(fastest, wall_seconds_of(bench.exec, [&] { result.row.solve(probe); }) / probe);
    });
  }
  if (!std::isfinite(fastest)) return limit;
  auto const wanted = static_cast<int>(std::ceil(std::min(run_seconds / fastest, 1e6)));
  int const whole_graphs = ceil_div(wanted, graph_iterations) * graph_iterations;
  return std::clamp(wanted > graph_iterations ? whole_graphs : wanted, probe, limit);
}

/// The residual after a timed solve. A row that stops early is refused.
void compute_residuals(SolveBench const& bench, SolveTable& table) {
  for (auto& result : table.results) {
    if (!result.row.solve) continue;
    run_or_refuse(result.row, [&] {
      int const done = result.row.solve(table.iterations);
      result.residual = true_residual(bench);
      auto const reason = disagreement(done, table.iterations, result.residual, result.residual);
      if (!reason.empty()) refuse(result, reason);
    });
  }
}

/// Records the residual history of every row that has one. A row that deviates from the reference is WRONG.
void compute_histories(SolveTable& table, int max_iterations_of_history) {
  for (auto& result : table.results) {
    if (!result.row.solve || !result.row.history) continue;
    run_or_refuse(result.row, [&] {
      result.history = result.row.history(max_iterations_of_history);
      auto const at = static_cast<std::size_t>(table.checked_iterations);
      auto const& residuals = result.history.residuals;
      if (table.checked_iterations == 0 || residuals.size() <= at) return;
      auto const reason = disagreement(table.checked_iterations, table.checked_iterations, residuals[at],
                                       table.reference_residual);
      if (reason.empty()) return;
      result.wrong = true;
      refuse(result, "history: " + reason);
    });
  }
}

}  // namespace

void measure_solvers(SolveBench const& bench, Bandwidth const& bandwidth, MeasureOptions const& measuring,
                     SolveTable& table) {
  struct Samples {
    int solves = 1;
    std::vector<double> seconds;
  };
  std::vector<Samples> samples(table.results.size());
  auto const solved = [&](std::size_t i) {
    return wall_seconds_of(bench.exec,
                           [&] {
                             for (int k = 0; k < samples[i].solves; ++k)
                               table.results[i].row.solve(table.iterations);
                           }) /
           samples[i].solves / table.iterations;
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& row = table.results[i].row;
    if (!row.solve) continue;
    run_or_refuse(row, [&] {
      double const once = solved(i) * table.iterations;
      samples[i].solves = static_cast<int>(std::clamp(std::ceil(run_seconds / once), 1.0, 1000.0));
    });
  }
  progress::stage(table.matrix, "measuring");
  std::vector<double> copies, streams;
  for (int round = 0; round < measuring.rounds; ++round) {
    progress::step(round, measuring.rounds);
    copies.push_back(seconds_of(bench.exec, [] {}, [&] { bandwidth.copy(); }));
    streams.push_back(seconds_of(bench.exec, [] {}, [&] { bandwidth.stream(); }));
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (table.results[i].row.solve)
        run_or_refuse(table.results[i].row, [&] { samples[i].seconds.push_back(solved(i)); });
  }
  table.rounds = measuring.rounds;
  table.copy_bytes_per_second = static_cast<double>(bandwidth.copy_bytes()) / median(copies);
  table.stream_bytes_per_second = static_cast<double>(bandwidth.stream_bytes()) / median(streams);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& result = table.results[i];
    if (!result.row.solve || samples[i].seconds.empty()) continue;
    result.seconds = median(samples[i].seconds);
    result.spread = spread(samples[i].seconds);
  }
}

SolveTable bench_solve(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                       SolveRequest const& request, Selection const& selection, MeasureOptions const& measuring,
                       bool verify) {
  progress::stage(name, "reading or generating");
  auto bench = make_system(exec, name, request, selection);
  SolveTable table;
  table.matrix = name;
  table.method = request.method;
  table.rows = bench.size();
  table.nnz = bench.A.values.extent(0);
  std::vector<long double> history;
  if (verify) {
    progress::stage(name, "reference");
    history = reference_history(bench, min_iterations / static_cast<int>(spmvs_of(request.method)));
    table.checked_iterations = static_cast<int>(history.size()) - 1;
    require<InvalidArgument>(table.checked_iterations > 0,
                             "the method converges in one iteration; there is nothing to measure");
    table.reference_residual = static_cast<double>(history.back());
  }
  progress::stage(name, "converting");
  if (request.fusions) {
    add_fusion_stages(bench);
  } else {
    add_einkorn_solvers(bench);
    add_unfused_solvers(bench);
  }
  if (selection.peers) {
    add_kokkos_kernels_solvers(bench);
    add_cusparse_cublas_solvers(bench);
    add_eigen_solvers(bench);
  }
  for (auto& row : bench.rows) table.results.push_back({std::move(row), {}, {}, 0.0, 0.0, false});
  if (verify) progress::stage(name, "checking"), check_results(bench, table);
  table.iterations = request.iterations > 0 ? request.iterations : choose_iterations(bench, table, history);
  compute_residuals(bench, table);
  measure_solvers(bench, bandwidth, measuring, table);
  compute_histories(table, request.history);
  for (auto& result : table.results)
    result.row.solve = nullptr, result.row.history = nullptr;  // frees the matrices
  return table;
}

}  // namespace einkorn::perf
