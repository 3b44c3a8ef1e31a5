// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/options.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace einkorn::detail {

/// method.iteration(), compiled once per program. The CUDA runtime loads the kernels of a source file at their
/// first launch, which cannot be captured; noinline makes the captured launches use the same copy of the
/// kernels as the launches before.
template <class Method>
[[gnu::noinline]] void iterate(Method const& method) {
  method.iteration();
}

/// Drives a solve from the host: launches iterations, at most run_ahead beyond the last one that the device has
/// published; the replacement of the residual every replace_every iterations; the true-residual check. No fence
/// and no copy: the host polls the progress flag. Iterations launched beyond the end find the phase finished
/// and change nothing.
///
/// Method has start(), iteration(), true_residual(ResidualUse), and, if the sums of an iteration are reduced by
/// the next one, finish_update() for the last. iterations_per_graph: of the graph in which iterations are
/// captured, and which is submitted where no replacement falls between them; 0: no graph. history: receives the
/// residuals read by the host, if the options have keep_history. Returns false if the callback stopped the
/// solve.
///
/// Method::is_distributed: the operator is; all ranks then launch the same. With a transport that waits on the
/// host, or a callback, they read the flag after a fence per iteration. With a transport that waits on the device,
/// and a method that has may_launch_ahead, there is no fence: after the end at iteration k, a rank still launches
/// the iterations up to k + max_ahead, because another rank may already have launched them.
template <class Exec, class Method>
bool run_from_host(Exec const& exec, SolverOptions const& options, ProgressFlag<Exec> const& flag,
                   Method const& method, int iterations_per_graph, std::vector<double>& history) {
  // The first iterations are launched, which loads every kernel: a capture cannot load kernels.
  constexpr int first_captured = 10;
  std::optional<CapturedGraph<Exec>> graph;
  auto const iterations_to_launch = [&](std::int64_t launched) {
    bool aligned = true;
    if constexpr (requires { method.is_aligned(); }) aligned = method.is_aligned();
    bool const uses_graph = graph && aligned && launched + iterations_per_graph <= options.max_iterations &&
                            (options.replace_every == 0 ||
                             launched % options.replace_every + iterations_per_graph <= options.replace_every);
    return uses_graph ? iterations_per_graph : 1;
  };
  bool fences = false, launches_ahead_alike = false;
  if constexpr (Method::is_distributed) {
    if constexpr (requires { Method::may_launch_ahead; })
      launches_ahead_alike = waits_on_device(method.a) && !options.callback;
    fences = !launches_ahead_alike;
  }
  auto const latest = [&] {
    if (fences) fence(exec, "einkorn::solve: progress of a distributed solve");
    return flag.latest();
  };
  flag.clear();
  method.start();
  auto word = flag.wait(exec, [](ProgressWord const&) { return true; });
  std::int64_t launched = 0, last_reported = -1;
  [[maybe_unused]] bool is_update_finished = false;
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
            for (int i = 0; i < iterations_per_graph; ++i) iterate(method);
          });
      int const count = iterations_to_launch(launched);
      if (count == 1) iterate(method);
      if constexpr (can_capture<Exec>)
        if (count > 1) graph->submit(exec);
      launched += count;
      if (options.replace_every > 0 && launched % options.replace_every == 0)
        method.true_residual(ResidualUse::replacement);
      if constexpr (requires { method.finish_update(); })
        if (launches_ahead_alike && launched == options.max_iterations) {
          method.finish_update();
          is_update_finished = true;
        }
      word = latest();
    } else {
      if constexpr (requires { method.finish_update(); })
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
bool run_persistent(ProgressFlag<Exec> const& flag, Method const& method) {
  flag.clear();
  method.start();
  method.persist();
  return true;
}

}  // namespace einkorn::detail
