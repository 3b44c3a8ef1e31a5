// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.perf.multigrid --problem P [--problem P ...] [--repeat N] [--methods LIST] [--json FILE]
//
// P: stencil7:N and stencil27:N (gen:..., not the Poisson equation: their values vary), anisotropic:N:FACTOR
// (7-point, the coefficient in x is FACTOR; 1 is the Poisson equation), jumps:N:FACTOR
// (7-point, a checkerboard of 4 x 4 x 4 cubes with the coefficients 1 and FACTOR), elasticity:N (a clamped cube of
// N^3 nodes with 3 displacements each), gen:... or a Matrix Market file of a symmetric positive definite matrix.
//
// Measures set-up, update (set-up again for other values of the same pattern) and solution of A x = b to a
// relative residual of --tolerance with b = 1, x0 = 0, by CG with multigrid, CG, Jacobi-scaled CG, and by Eigen and
// hypre where they were found. Values are copied to the matrices of the peers outside of the times. Times are
// medians over the rounds; each round measures every method. Every x is checked by its true residual; a method
// that did not converge, or whose residual is too large, has no time.
#include "peers/multigrid_eigen.hpp"
#include "peers/multigrid_hypre.hpp"
#include "program/run_program.hpp"
#include "support/context.hpp"
#include "support/multigrid_problems.hpp"
#include "support/multigrid_system.hpp"
#include "support/stamp.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/multigrid.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;
using namespace einkorn::perf::multigrid;

struct Settings {
  std::vector<std::string> problems, methods;
  std::string json;
  int repeat = 3;
  double tolerance = 1e-8;
  bool warm_up = true, history = false;
};

Solved solved(SolveReport const& report) {
  return {name_of(report.outcome), report.iterations};
}

SolverOptions solver_options(System const& system, bool keep_history = false) {
  SolverOptions options;
  options.tolerance = system.tolerance;
  options.max_iterations = max_iterations;
  options.keep_history = keep_history;
  return options;
}

/// Sets solve and history of a method: solve(options) returns a SolveReport.
template <class Solve>
void set_solve(Exec const& exec, System const& system, Method& method, Solve const& solve) {
  method.solve = [=, &system] { return solved(solve(solver_options(system))); };
  method.history = [=, &system] {
    system.clear_x();
    auto residuals = solve(solver_options(system, true)).history;
    double const norm_of_b = std::sqrt(static_cast<double>(system.b.extent(0)));  // b = 1
    for (double& residual : residuals) residual /= norm_of_b;
    exec.fence();
    return residuals;
  };
}

Method multigrid_method(Exec const& exec, System const& system) {
  using Levels = decltype(make_multigrid(exec, system.A));
  using Operator = decltype(std::declval<Levels>().make_operator(exec, system.A));
  auto const levels = std::make_shared<std::optional<Levels>>();
  auto const op = std::make_shared<Operator>();
  Method method;
  method.key = "multigrid";
  method.name = "einkorn multigrid-PCG";
  method.set_up = [=, &system] {
    *op = Operator();
    levels->emplace(system.has_coordinates()
                        ? make_multigrid_elasticity(exec, system.A, {.block_size = 3}, system.coordinates)
                        : make_multigrid(exec, system.A));
    *op = (*levels)->make_operator(exec, system.A);
  };
  method.update = [=, &system] {
    (*levels)->update(exec, system.A);
    op->update(exec, system.A);
  };
  set_solve(exec, system, method, [=, &system](SolverOptions const& options) {
    return pcg(exec, *op, **levels, system.b, system.x, options);
  });
  method.complexity = [=] { return (*levels)->report().operator_complexity(); };
  return method;
}

Method cg_method(Exec const& exec, System const& system) {
  using Operator = decltype(make_operator<double>(exec, system.A));
  auto const op = std::make_shared<std::optional<Operator>>();
  Method method;
  method.key = "cg";
  method.name = "einkorn CG";
  method.set_up = [=, &system] { op->emplace(make_operator<double>(exec, system.A)); };
  set_solve(exec, system, method,
            [=, &system](SolverOptions const& options) { return cg(exec, **op, system.b, system.x, options); });
  return method;
}

Method jacobi_method(Exec const& exec, System const& system) {
  auto const make = [=, &system] {
    return make_jacobi_scaled(exec, system.A, ScaledSides::both,
                              [&](auto const& B) { return make_operator<double>(exec, B); });
  };
  auto const op = std::make_shared<std::optional<decltype(make())>>();
  Method method;
  method.key = "jacobi";
  method.name = "einkorn Jacobi-scaled CG";
  method.set_up = [=] { op->emplace(make()); };
  method.update = method.set_up;
  set_solve(exec, system, method,
            [=, &system](SolverOptions const& options) { return cg(exec, **op, system.b, system.x, options); });
  return method;
}

/// The methods of --methods, all if it is empty.
std::vector<Method> methods_for(Exec const& exec, System const& system,
                                std::vector<std::string> const& wanted) {
  std::vector<Method> methods;
  auto const wants = [&](std::string const& key) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), key) != wanted.end();
  };
  if (wants("multigrid")) methods.push_back(multigrid_method(exec, system));
  if (wants("cg")) methods.push_back(cg_method(exec, system));
  if (wants("jacobi")) methods.push_back(jacobi_method(exec, system));
#ifdef EINKORN_WITH_EIGEN
  if (wants("eigen")) methods.push_back(eigen_method(system));
#endif
#ifdef EINKORN_WITH_HYPRE
  if (wants("hypre")) methods.push_back(hypre_method(system, "hypre", 0.25));
  if (wants("hypre")) methods.push_back(hypre_method(system, "hypre_strong_0.5", 0.5));
#endif
  return methods;
}

/// Solves from x = 0 and checks x. Returns the seconds, or empty with method.failure set.
std::optional<double> solve_and_check(Exec const& exec, System const& system, Method& method) {
  system.clear_x();
  Solved result;
  double const seconds = wall_seconds_of(exec, [&] { result = method.solve(); });
  method.iterations = result.iterations;
  method.residual = system.residual();
  if (result.outcome != "converged") {
    method.failure = result.outcome;
  } else if (!(method.residual <= accepted_residual * system.tolerance)) {
    method.failure = "WRONG";
    method.is_wrong = true;
  }
  return method.failure.empty() ? std::optional(seconds) : std::nullopt;
}

/// Set-up and solve; update to other values and back; solve again.
void measure_once(Exec const& exec, System const& system, Method& method, bool is_warm_up) {
  auto const load = [&] {
    if (method.load) method.load();
  };
  double const set_up = wall_seconds_of(exec, method.set_up);
  auto const first = solve_and_check(exec, system, method);
  if (!first) return;
  auto const iterations = method.iterations;
  double update = 0;
  for (bool const is_doubled : {true, false}) {
    system.set_values(is_doubled);
    load();
    if (method.update) update = wall_seconds_of(exec, method.update);
  }
  auto const second = solve_and_check(exec, system, method);
  if (!second) {
    method.failure += " after the update";
    return;
  }
  if (std::abs(method.iterations - iterations) > 2 + iterations / 10) {
    method.failure = "WRONG: " + std::to_string(iterations) + " iterations, " +
                     std::to_string(method.iterations) + " after the update";
    method.is_wrong = true;
    return;
  }
  if (is_warm_up) return;
  method.set_up_seconds.push_back(set_up);
  if (method.update) method.update_seconds.push_back(update);
  method.solve_seconds.insert(method.solve_seconds.end(), {*first, *second});
}

std::string seconds_text(std::vector<double> const& samples) {
  return samples.empty() ? "-" : text("%.4g", median(samples));
}

void print(std::vector<Method> const& methods) {
  std::cout << text("%-36s %9s %9s %9s %10s %9s %10s\n", "method", "set-up s", "update s", "solve s",
                    "iterations", "residual", "complexity");
  for (auto const& method : methods) {
    if (!method.failure.empty()) {
      std::cout << text("%-36s %s (%lld iterations, residual %.2e)\n", method.name.c_str(),
                        method.failure.c_str(), static_cast<long long>(method.iterations), method.residual);
      continue;
    }
    std::cout << text("%-36s %9s %9s %9s %10lld %9.2e %10s\n", method.name.c_str(),
                      seconds_text(method.set_up_seconds).c_str(), seconds_text(method.update_seconds).c_str(),
                      seconds_text(method.solve_seconds).c_str(), static_cast<long long>(method.iterations),
                      method.residual, method.complexity ? text("%.2f", method.complexity()).c_str() : "-");
  }
}

nlohmann::json record_of(Method const& method) {
  nlohmann::json record{{"method", method.key},
                        {"name", method.name},
                        {"iterations", method.iterations},
                        {"residual", method.residual}};
  if (!method.failure.empty()) {
    record["failure"] = method.failure;
    return record;
  }
  if (method.complexity) record["operator_complexity"] = method.complexity();
  auto const add = [&](char const* key, std::vector<double> const& samples) {
    if (!samples.empty()) record["seconds"][key] = {{"median", median(samples)}, {"samples", samples}};
  };
  add("set_up", method.set_up_seconds);
  add("update", method.update_seconds);
  add("solve", method.solve_seconds);
  return record;
}

int run_all(Settings const& settings) {
  keep_freed_memory();
  Exec const exec;
  auto const context = context_of(exec);
  warn_about_environment();
  std::cout << stamp_text(context) << ", median of " << settings.repeat << '\n';
  nlohmann::json record{
      {"concurrency", exec.concurrency()}, {"repeat", settings.repeat}, {"tolerance", settings.tolerance}};
  stamp(record, context);
  bool is_wrong = false;
  for (auto const& problem : settings.problems) {
    System const system(exec, make_problem(exec, problem), settings.tolerance);
    auto methods = methods_for(exec, system, settings.methods);
    for (int round = settings.warm_up ? -1 : 0; round < settings.repeat; ++round)
      for (auto& method : methods)
        if (method.failure.empty()) measure_once(exec, system, method, round < 0);
    std::cout << '\n' << problem << ": " << system.A.num_rows << " rows, " << system.A.nnz() << " entries\n";
    print(methods);
    nlohmann::json rows = nlohmann::json::array();
    for (auto const& method : methods) {
      rows.push_back(record_of(method));
      is_wrong = is_wrong || method.is_wrong;
    }
    if (settings.history)
      for (std::size_t m = 0; m < methods.size(); ++m)
        if (methods[m].history && methods[m].failure.empty()) rows[m]["history"] = methods[m].history();
    record["problems"].push_back(
        {{"problem", problem}, {"rows", system.A.num_rows}, {"nnz", system.A.nnz()}, {"methods", rows}});
  }
  if (!settings.json.empty()) program::write_text_file(settings.json, record.dump(2) + "\n");
  return is_wrong ? 1 : program::done;
}

int parse_and_run(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("Measures CG with multigrid, other preconditioners and peers.", "einkorn.perf.multigrid");
  app.add_option("--problem", settings.problems,
                 "stencil7:N, stencil27:N, anisotropic:N:FACTOR, jumps:N:FACTOR, elasticity:N, gen:... or a "
                 "Matrix Market file")
      ->required();
  app.add_option("--methods", settings.methods, "Default: all that this program was built with")
      ->delimiter(',')
      ->check(CLI::IsMember({"multigrid", "cg", "jacobi", "eigen", "hypre"}));
  app.add_option("--tolerance", settings.tolerance, "Of the relative residual")
      ->check(CLI::Range(1e-15, 1.0))
      ->capture_default_str();
  app.add_option("--repeat", settings.repeat, "Rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_flag("!--no-warm-up", settings.warm_up, "No round before the measured ones");
  app.add_flag("--history", settings.history,
               "One more solve per method of Einkorn for its residuals in --json");
  app.add_option("--json", settings.json, "Write the samples to this file");
  CLI11_PARSE(app, argc, argv);
#ifdef EINKORN_WITH_HYPRE
  HypreSession const session(&argc, &argv);
#endif
  Kokkos::ScopeGuard const kokkos;
  return run_all(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  return einkorn::program::run_program("einkorn.perf.multigrid", [&] { return parse_and_run(argc, argv); });
}
