// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>
#include <einkorn/solvers/options.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace einkorn::detail {

/// method.iteration(), by one copy of the code in a program. Kokkos readies each source file's kernels at its
/// first launch, which cannot be graph; of an inline function the linker may take another file's copy here
/// than there.
template <class Method>
[[gnu::noinline]] void iterate(Method const& method) {
  method.iteration();
}

/// Drives a solve from the host: launches iterations, at most run_ahead of them beyond what the device has
/// reported, and what an iteration knows nothing of: the residual computed anew every replace_every iterations
/// and at a candidate. No fence, no copy: the host looks at a word that the device writes (flag.hpp).
/// Iterations that were launched beyond the end find the phase finished, and change nothing.
///
/// Method has start(), iteration(), replace(), check_true_residual(), and, where an iteration is told of by the
/// next one, close(), which tells of the last. captures: `together` iterations are graph into a graph, and
/// submitted at once where no replacement comes between them. history: gets the residuals that the host has
/// seen, where the options want them. Returns false when the callback has stopped the solve.
template <class Exec, class Method>
bool run_from_host(Exec const& exec, SolverOptions const& options, ProgressFlag<Exec> const& flag,
                   Method const& method, bool captures, std::vector<double>& history) {
  // The first iterations are launched, so that every kernel has been loaded: a recording cannot wait for that.
  constexpr int together = 10, first_captured = 10;
  std::optional<CapturedGraph<Exec>> graph;
  auto const at_once = [&](std::int64_t launched) {
    bool aligned = true;
    if constexpr (requires { method.is_aligned(); }) aligned = method.is_aligned();
    bool const fits =
        graph && aligned && launched + together <= options.max_iterations &&
        (options.replace_every == 0 || launched % options.replace_every + together <= options.replace_every);
    return fits ? together : 1;
  };
  flag.clear();
  method.start();
  auto word = flag.wait(exec, [](ProgressWord const&) { return true; });
  std::int64_t launched = 0, told = -1;
  [[maybe_unused]] bool is_closed = false;
  std::int64_t max_ahead = options.run_ahead > 2 ? options.run_ahead : 2;  // the last one may not be published
  if (wants_history(options))  // the ring of residuals must not overflow
    max_ahead = std::min<std::int64_t>(max_ahead, static_cast<std::int64_t>(flag.capacity()) - 2 * together);
  while (word.phase() != Phase::finished) {
    if (options.keep_history) flag.read_history(word.iteration(), history);
    if (options.callback && word.iteration() > told) {
      told = word.iteration();
      if (!options.callback(told, flag.residual(told))) return false;
    }
    ProgressWord const before = word;
    if (word.phase() == Phase::check) {
      method.check_true_residual();
      word = flag.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
      launched = word.iteration();
      is_closed = false;
    } else if (launched < options.max_iterations && launched - word.iteration() < max_ahead) {
      if constexpr (can_capture<Exec>)
        if (captures && !graph && launched == first_captured)
          graph.emplace(exec, [&method]() {
            for (int i = 0; i < together; ++i) iterate(method);
          });
      int const count = at_once(launched);
      if (count > 1)
        graph->submit(exec);
      else
        iterate(method);
      launched += count;
      if (options.replace_every > 0 && launched % options.replace_every == 0) method.replace();
      word = flag.latest();
    } else {
      if constexpr (requires { method.close(); })
        if (launched == options.max_iterations && !is_closed) {
          method.close();
          is_closed = true;
        }
      word = flag.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
    }
  }
  return true;
}

/// The same with one launch for all iterations: method.persist(), which finds the phase finished where there is
/// nothing to do. The host waits for nothing in between.
template <class Exec, class Method>
bool run_persistent(ProgressFlag<Exec> const& flag, Method const& method) {
  flag.clear();
  method.start();
  method.persist();
  return true;
}

}  // namespace einkorn::detail
