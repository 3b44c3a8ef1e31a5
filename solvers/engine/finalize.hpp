// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/engine/convergence.hpp>
#include <einkorn/solvers/engine/host_loop.hpp>
#include <einkorn/solvers/engine/method_ref.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::detail {

inline Limits limits_of(SolverOptions const& options) {
  return {options.tolerance * options.tolerance,
          options.absolute_tolerance * options.absolute_tolerance,
          options.divergence_factor * options.divergence_factor,
          options.max_iterations,
          options.relative_to == RelativeTo::initial_residual,
          options.max_stalls};
}

/// x <- S x, or with divides x <- S^-1 x.
template <class S, class X>
struct ScaleBy {
  S scaling;
  X x;
  bool divides;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const s = scaling(i);
    x(i) = divides ? x(i) / s : x(i) * s;
  }
};
template <class Exec, class S, class X>
void multiply_by(Exec const& exec, S const& scaling, X const& x, bool divides = false) {
  range_for<std::size_t>("einkorn::solve[scale]", exec, x.extent(0), ScaleBy<S, X>{scaling, x, divides});
}
template <class Exec, class S, class X>
void divide_by(Exec const& exec, S const& scaling, X const& x) {
  multiply_by(exec, scaling, x, true);
}

/// Result of a method. The report is final unless a flag is set: then no iteration was done.
struct SolveResult {
  SolveReport report;
  bool out_of_range = false, rows_too_long = false;  // see Progress
};

/// The progress in a state of the device. Fences exec.
template <class Exec>
Progress read_progress(Exec const& exec, Progress const* on_device) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Progress result;
  copy_vector(exec, Kokkos::View<Progress*, Kokkos::HostSpace, Unmanaged>(&result, 1),
              Kokkos::View<Progress const*, typename Exec::memory_space, Unmanaged>(on_device, 1));
  fence(exec, "einkorn::solve: the state at the end");
  return result;
}

/// The end of a solve on the host: computes the true residual if it is not known, replaces x by the best x if
/// the last one is worse, makes the report. ran_to_end: the callback did not stop the solve. history: residuals
/// that the host loop has read. Fences exec.
template <class Exec, class Vector>
SolveResult finish_solve(Exec const& exec, SolverOptions const& options, ProgressFlag<Exec> const& flag,
                         bool ran_to_end, MethodRef const& method, Vector const& x, Vector const& best,
                         std::vector<double> history) {
  method.finish_update();
  auto state = read_progress(exec, method.progress());
  SolveResult result{{}, state.out_of_range, state.rows_too_long};
  auto& report = result.report;
  report.outcome = ran_to_end ? state.outcome : Outcome::stopped;
  report.quantity = state.quantity;
  report.iterations = state.iteration;
  report.restarts = state.num_restarts;
  report.recursive_residual = std::sqrt(state.residual2);
  report.initial_residual = std::sqrt(state.initial2);
  report.reference = std::sqrt(state.reference2);
  if (options.keep_history) {
    flag.read_history(state.iteration, history);
    report.history = std::move(history);
  }
  bool const is_known = state.iteration == 0 || report.converged();
  if (!is_known) {
    method.true_residual(ResidualUse::final);
    state = read_progress(exec, method.progress());
    if (!(state.true2 <= state.best2)) {
      copy_vector(exec, x, best);
      fence(exec, "einkorn::solve: the best x");
      state.true2 = state.best2;
    }
  }
  report.residual = std::sqrt(state.true2);
  return result;
}

/// run_from_host() and finish_solve().
template <class Exec, class Vector>
SolveResult solve_from_host(Exec const& exec, SolverOptions const& options, ProgressFlag<Exec> const& flag,
                            MethodRef const& method, int iterations_per_graph, Vector const& x,
                            Vector const& best) {
  std::vector<double> history;
  bool const ran_to_end = run_from_host(exec, options, flag, method, iterations_per_graph, history);
  return finish_solve(exec, options, flag, ran_to_end, method, x, best, std::move(history));
}

}  // namespace einkorn::detail
