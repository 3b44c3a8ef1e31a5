// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "operator_bytes.hpp"
#include "support/solve.hpp"

#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace einkorn::perf {

/// Persistent execution is not measured above this number of rows; it is for systems that fit into the caches.
inline constexpr std::size_t max_rows_persistent = 4'000'000;

/// Options for exactly max_iterations iterations, independent of the residual.
inline SolverOptions fixed_iterations(Execution execution, Recurrence recurrence) {
  SolverOptions options;
  options.tolerance = 0.0;
  options.max_stalls = 0;
  options.divergence_factor = 1e150;
  options.execution = execution;
  options.recurrence = recurrence;
  return options;
}

/// Options of the workspace, which reserves memory for a history if bench records it.
inline SolverOptions with_history(SolveBench const& bench, SolverOptions options) {
  options.keep_history = bench.records_history;
  return options;
}

/// Sets solve() and history() of a row. solver(options) returns a SolveReport; its workspace was made with
/// with_history().
template <class Solver>
void set_solve(SolveBench const& bench, SolveRow& row, SolverOptions options, Solver const& solver) {
  row.solve = [exec = bench.exec, x = bench.x, options, solver](int iterations) mutable {
    Kokkos::deep_copy(exec, x, 0.0);
    options.max_iterations = iterations;
    return static_cast<int>(solver(options).iterations);
  };
  if (!bench.records_history || row.execution != "automatic") return;
  row.history = [exec = bench.exec, x = bench.x, options, solver](int limit) {
    Kokkos::deep_copy(exec, x, 0.0);
    SolverOptions to_tolerance;
    to_tolerance.tolerance = history_tolerance;
    to_tolerance.max_iterations = limit;
    to_tolerance.keep_history = true;
    to_tolerance.execution = options.execution;
    to_tolerance.recurrence = options.recurrence;
    auto const report = solver(to_tolerance);
    ResidualHistory history{report.history, name_of(report.outcome)};
    for (double& residual : history.residuals) residual /= report.reference;
    return history;
  };
}

/// Operator and workspace that all rows of one format share. The first row creates them (get_or_make).
template <class Operator, class Workspace>
struct SharedSolver {
  Operator op;
  Workspace workspace;
};
template <class T, class Make>
std::shared_ptr<T> get_or_make(std::shared_ptr<std::shared_ptr<T>> const& cache, Make const& make) {
  if (!*cache) *cache = std::make_shared<T>(make());
  return *cache;
}

/// Adds the rows of one format. to_format(A) converts the matrix of the bench, or a scaled copy of it.
template <class ToFormat>
void add_rows_of_format(SolveBench& bench, std::string const& format, ToFormat const& to_format) {
  using Operator = decltype(make_operator<double>(bench.exec, to_format(bench.A)));
  using Cg = SharedSolver<Operator, CgWorkspace<double, Exec>>;
  using Bicgstab = SharedSolver<Operator, BicgstabWorkspace<double, Exec>>;
  Exec const exec = bench.exec;
  auto const b = bench.b;
  auto const x = bench.x;
  auto const cg_cache = std::make_shared<std::shared_ptr<Cg>>();
  auto const bicgstab_cache = std::make_shared<std::shared_ptr<Bicgstab>>();
  auto const add = [&](char const* fusion, Execution execution, char const* name, std::size_t vectors,
                       auto const& build) {
    SolveRow row;
    row.format = format;
    row.execution = name;
    row.fusion = fusion;
    row.vectors = vectors;
    bench.add(row, [&](SolveRow& built) { build(built, execution); });
  };
  auto const make = [&]() { return make_operator<double>(exec, to_format(bench.A)); };
  auto const cg_of = [&](Recurrence recurrence) {
    return [&, recurrence](SolveRow& row, Execution execution) {
      auto const options = fixed_iterations(execution, recurrence);
      auto const shared = get_or_make<Cg>(cg_cache, [&] {
        auto op = make();
        return Cg{op, CgWorkspace<double, Exec>(exec, op, with_history(bench, options))};
      });
      row.matrix_bytes = format_bytes(shared->op.plan().matrix(), bench.A);
      set_solve(bench, row, options,
                [=](SolverOptions const& with) { return cg(exec, shared->op, b, x, with, shared->workspace); });
    };
  };
  auto const executions = [&](auto const& body) {
    body(Execution::automatic, "automatic");
    if (!is_gpu<Exec>) return;
    body(Execution::launches, "launches");
    body(Execution::graph, "graph");
  };
  if (bench.method == Method::cg) {
    executions([&](Execution execution, char const* name) {
      add("fused", execution, name, 8, cg_of(Recurrence::fused));
    });
    if (is_gpu<Exec>) {
      if (bench.size() <= max_rows_persistent)
        add("fused", Execution::persistent, "persistent", 8, cg_of(Recurrence::fused));
    } else {
      add("fused", Execution::launches, "launches", 8, cg_of(Recurrence::fused));
    }
    add("classical", Execution::automatic, "automatic", 10, cg_of(Recurrence::classical));
  } else if (bench.method == Method::jacobi_pcg) {
    add("scaled", Execution::automatic, "automatic", 8, [&](SolveRow& row, Execution execution) {
      auto const op = make_jacobi_scaled(exec, bench.A, ScaledSides::both, [&](auto const& scaled) {
        return make_operator<double>(exec, to_format(scaled));
      });
      auto const options = fixed_iterations(execution, Recurrence::fused);
      CgWorkspace<double, Exec> const workspace(exec, op, with_history(bench, options));
      row.matrix_bytes = format_bytes(op.scaled().plan().matrix(), bench.A);
      set_solve(bench, row, options,
                [=](SolverOptions const& with) { return cg(exec, op, b, x, with, workspace); });
    });
    add("classical", Execution::automatic, "automatic", 12, [&](SolveRow& row, Execution execution) {
      auto const op = make();
      auto const jacobi = make_jacobi(exec, bench.A);
      auto const options = fixed_iterations(execution, Recurrence::classical);
      CgWorkspace<double, Exec> const workspace(exec, op, jacobi, with_history(bench, options));
      row.matrix_bytes = format_bytes(op.plan().matrix(), bench.A);
      set_solve(bench, row, options,
                [=](SolverOptions const& with) { return pcg(exec, op, jacobi, b, x, with, workspace); });
    });
  } else {
    executions([&](Execution execution, char const* name) {
      add("fused", execution, name, 17, [&](SolveRow& row, Execution execution_of_row) {
        auto const options = fixed_iterations(execution_of_row, Recurrence::fused);
        auto const shared = get_or_make<Bicgstab>(bicgstab_cache, [&] {
          auto op = make();
          return Bicgstab{op, BicgstabWorkspace<double, Exec>(exec, op, with_history(bench, options))};
        });
        row.matrix_bytes = format_bytes(shared->op.plan().matrix(), bench.A);
        set_solve(bench, row, options, [=](SolverOptions const& with) {
          return bicgstab(exec, shared->op, b, x, with, shared->workspace);
        });
      });
    });
  }
}

void add_csr_solvers(SolveBench& bench);
void add_csr5_solvers(SolveBench& bench);
void add_sell_solvers(SolveBench& bench);
void add_dia_solvers(SolveBench& bench);
void add_bdia_solvers(SolveBench& bench);

}  // namespace einkorn::perf
