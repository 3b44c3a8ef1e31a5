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

/// Systems beyond this many rows have no row of one cooperative launch: it is for those that fit the caches.
inline constexpr std::size_t max_rows_of_persistent = 4'000'000;

/// Exactly as many iterations as are asked for, whatever the residual.
inline SolverOptions endless(Execution execution, Recurrence recurrence) {
  SolverOptions options;
  options.tolerance = 0.0;
  options.max_stalls = 0;
  options.divergence_factor = 1e150;
  options.execution = execution;
  options.recurrence = recurrence;
  return options;
}

/// What the room of a solver is made with, so that it has some for a history.
inline SolverOptions with_room(SolveBench const& bench, SolverOptions options) {
  options.keep_history = bench.keeps_history;
  return options;
}

/// A row that solves with `solver(options)`, a callable that returns a SolveReport. Its room was made
/// with_room().
template <class Solver>
void solve_by(SolveBench const& bench, SolveRow& row, SolverOptions options, Solver const& solver) {
  row.solve = [exec = bench.exec, x = bench.x, options, solver](int iterations) mutable {
    Kokkos::deep_copy(exec, x, 0.0);
    options.max_iterations = iterations;
    return static_cast<int>(solver(options).iterations);
  };
  if (!bench.keeps_history || row.execution != "automatic") return;
  row.history = [exec = bench.exec, x = bench.x, options, solver](int most) {
    Kokkos::deep_copy(exec, x, 0.0);
    SolverOptions stopping;
    stopping.tolerance = history_tolerance;
    stopping.max_iterations = most;
    stopping.keep_history = true;
    stopping.execution = options.execution;
    stopping.recurrence = options.recurrence;
    auto const report = solver(stopping);
    ResidualHistory history{report.history, name_of(report.outcome)};
    for (double& residual : history.residuals) residual /= report.reference;
    return history;
  };
}

/// What all rows of one format share: the operator and the room of a solver, made by the first row that asks.
template <class Operator, class Workspace>
struct SharedSolver {
  Operator op;
  Workspace workspace;
};
template <class Made, class Make>
std::shared_ptr<Made> once(std::shared_ptr<std::shared_ptr<Made>> const& place, Make const& make) {
  if (!*place) *place = std::make_shared<Made>(make());
  return *place;
}

/// The rows of one format. to_format(A) brings the bench's matrix, or a scaled copy of it, into the format.
template <class ToFormat>
void add_rows_of_format(SolveBench& bench, std::string const& format, ToFormat const& to_format) {
  using Operator = decltype(make_operator<double>(bench.exec, to_format(bench.A)));
  using Cg = SharedSolver<Operator, CgWorkspace<double, Exec>>;
  using Bicgstab = SharedSolver<Operator, BicgstabWorkspace<double, Exec>>;
  Exec const exec = bench.exec;
  auto const b = bench.b;
  auto const x = bench.x;
  auto const cg_place = std::make_shared<std::shared_ptr<Cg>>();
  auto const bicgstab_place = std::make_shared<std::shared_ptr<Bicgstab>>();
  auto const add = [&](char const* fusion, Execution execution, char const* how, std::size_t vectors,
                       auto const& build) {
    SolveRow row;
    row.format = format;
    row.execution = how;
    row.fusion = fusion;
    row.vectors = vectors;
    bench.add(row, [&](SolveRow& to) { build(to, execution); });
  };
  auto const make = [&]() { return make_operator<double>(exec, to_format(bench.A)); };
  auto const cg_of = [&](Recurrence recurrence) {
    return [&, recurrence](SolveRow& row, Execution execution) {
      auto const options = endless(execution, recurrence);
      auto const shared = once<Cg>(cg_place, [&] {
        auto op = make();
        return Cg{op, CgWorkspace<double, Exec>(exec, op, with_room(bench, options))};
      });
      row.matrix_bytes = format_bytes(shared->op.plan().matrix(), bench.A);
      solve_by(bench, row, options,
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
    executions([&](Execution execution, char const* how) {
      add("fused", execution, how, 8, cg_of(Recurrence::fused));
    });
    if (is_gpu<Exec>) {
      if (bench.size() <= max_rows_of_persistent)
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
      auto const options = endless(execution, Recurrence::fused);
      CgWorkspace<double, Exec> const workspace(exec, op, with_room(bench, options));
      row.matrix_bytes = format_bytes(op.scaled().plan().matrix(), bench.A);
      solve_by(bench, row, options,
               [=](SolverOptions const& with) { return cg(exec, op, b, x, with, workspace); });
    });
    add("classical", Execution::automatic, "automatic", 12, [&](SolveRow& row, Execution execution) {
      auto const op = make();
      auto const jacobi = make_jacobi(exec, bench.A);
      auto const options = endless(execution, Recurrence::classical);
      CgWorkspace<double, Exec> const workspace(exec, op, jacobi, with_room(bench, options));
      row.matrix_bytes = format_bytes(op.plan().matrix(), bench.A);
      solve_by(bench, row, options,
               [=](SolverOptions const& with) { return pcg(exec, op, jacobi, b, x, with, workspace); });
    });
  } else {
    executions([&](Execution execution, char const* how) {
      add("fused", execution, how, 17, [&](SolveRow& row, Execution asked) {
        auto const options = endless(asked, Recurrence::fused);
        auto const shared = once<Bicgstab>(bicgstab_place, [&] {
          auto op = make();
          return Bicgstab{op, BicgstabWorkspace<double, Exec>(exec, op, with_room(bench, options))};
        });
        row.matrix_bytes = format_bytes(shared->op.plan().matrix(), bench.A);
        solve_by(bench, row, options, [=](SolverOptions const& with) {
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
