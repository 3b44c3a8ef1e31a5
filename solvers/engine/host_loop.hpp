// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/engine/method_ref.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/options.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace einkorn::detail {

/// Drives a solve from the host: launches iterations, at most run_ahead beyond the last one that the device has
/// published; the replacement of the residual every replace_every iterations; the true-residual check. No fence
/// and no copy: the host polls the progress flag. Iterations launched beyond the end find the phase finished
/// and change nothing.
///
/// iterations_per_graph: of the graph in which iterations are captured, and which is submitted where no replacement
/// falls between them; 0: no graph. history: receives the residuals read by the host, if the options have
/// keep_history. Returns false if the callback stopped the solve.
///
/// method.is_distributed(): all ranks launch the same. With a transport that waits on the host, or a callback, they
/// read the flag after a fence per iteration. With a transport that waits on the device, and a method that has
/// may_launch_ahead, there is no fence. If such a solve ends at iteration k, every rank launches the iterations up to
/// k + max_ahead, because other ranks may have launched them before they read of the end.
template <class Exec>
bool run_from_host(Exec const& exec, SolverOptions const& options, ProgressFlag<Exec> const& flag,
                   MethodRef const& method, int iterations_per_graph, std::vector<double>& history) {
  // The CUDA runtime loads a kernel at its first launch, which cannot be captured: the first iterations are launched.
  constexpr int first_captured = 10;
  std::optional<CapturedGraph<Exec>> graph;
  auto const iterations_to_launch = [&](std::int64_t launched) {
    bool const uses_graph = graph && method.is_aligned() &&
                            launched + iterations_per_graph <= options.max_iterations &&
                            (options.replace_every == 0 ||
                             launched % options.replace_every + iterations_per_graph <= options.replace_every);
    return uses_graph ? iterations_per_graph : 1;
  };
  bool const launches_ahead_alike = method.launches_ahead() && !options.callback,
             fences = method.is_distributed() && !launches_ahead_alike;
  auto const latest = [&] {
    if (fences) fence(exec, "einkorn::solve: progress of a distributed solve");
    return flag.latest();
  };
  flag.clear();
  method.start();
  auto word = flag.wait(exec, [](ProgressWord const&) { return true; });
  std::int64_t launched = 0, last_reported = -1;
  bool is_update_finished = false;
  std::int64_t max_ahead = options.run_ahead > 2 ? options.run_ahead : 2;  // the last one may not be published
  if (wants_history(options))  // the ring of residuals must not overflow
    max_ahead = std::min<std::int64_t>(
        max_ahead, static_cast<std::int64_t>(flag.capacity()) - 2 * std::max(1, iterations_per_graph));
  // Whether the last word is far enough for another launch. The same sequence of launches on all ranks: later words
  // only change when it is evaluated.
  auto const has_room = [&] {
    return launched < options.max_iterations && launched - word.iteration() < max_ahead;
  };
  while (word.phase() != Phase::finished || (launches_ahead_alike && has_room())) {
    if (options.keep_history) flag.read_history(word.iteration(), history);
    if (options.callback && word.iteration() > last_reported) {
      last_reported = word.iteration();
      if (!options.callback(last_reported, flag.residual(last_reported))) return false;
    }
    ProgressWord const before = word;
    if (word.phase() == Phase::check && !(launches_ahead_alike && has_room())) {
      method.true_residual(ResidualUse::check);
      word = flag.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
      launched = word.iteration();
      is_update_finished = false;
    } else if (has_room()) {
      if constexpr (can_capture<Exec>)
        if (iterations_per_graph > 0 && !graph && launched == first_captured)
          graph.emplace(exec, [&method, iterations_per_graph]() {
            for (int i = 0; i < iterations_per_graph; ++i) method.iteration();
          });
      int const count = iterations_to_launch(launched);
      if (count == 1) method.iteration();
      if constexpr (can_capture<Exec>)
        if (count > 1) graph->submit(exec);
      launched += count;
      if (options.replace_every > 0 && launched % options.replace_every == 0)
        method.true_residual(ResidualUse::replacement);
      if (launches_ahead_alike && launched == options.max_iterations) {
        method.finish_update();
        is_update_finished = true;
      }
      word = latest();
    } else {
      if (launched == options.max_iterations && !is_update_finished) {
        method.finish_update();
        is_update_finished = true;
      }
      word = flag.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
    }
  }
  return true;
}

/// A solve with one launch for all iterations, method.persist(). Does not wait for it.
template <class Exec, class Method>
void run_persistent(ProgressFlag<Exec> const& flag, Method const& method) {
  flag.clear();
  method.start();
  method.persist();
}

}  // namespace einkorn::detail
