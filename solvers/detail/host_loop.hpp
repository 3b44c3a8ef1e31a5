// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/detail/news.hpp>
#include <einkorn/solvers/options.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Drives a solve from the host: launches iterations, at most run_ahead of them beyond what the device has
/// reported, and what an iteration knows nothing of: the residual computed anew every replace_every iterations
/// and at a candidate. No fence, no copy: the host looks at a word that the device writes (news.hpp).
/// Iterations that were launched beyond the end find the phase finished, and change nothing.
///
/// Method has start(), iteration(), replace(), recheck(). Returns false when the callback has stopped the
/// solve.
template <class Exec, class Method>
bool run_from_host(Exec const& exec, SolverOptions const& options, News<Exec> const& news,
                   Method const& method) {
  news.clear();
  method.start();
  auto word = news.wait(exec, [](ProgressWord const&) { return true; });
  std::int64_t launched = 0, told = -1;
  while (word.phase() != Phase::finished) {
    if (options.callback && word.iteration() > told) {
      told = word.iteration();
      if (!options.callback(told, news.residual(told))) return false;
    }
    ProgressWord const before = word;
    if (word.phase() == Phase::candidate) {
      method.recheck();
      word = news.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
      launched = word.iteration();
    } else if (launched < options.max_iterations && launched - word.iteration() < options.run_ahead) {
      method.iteration();
      ++launched;
      if (options.replace_every > 0 && launched % options.replace_every == 0) method.replace();
      word = news.latest();
    } else {
      word = news.wait(exec, [&](ProgressWord const& next) { return next.bits != before.bits; });
    }
  }
  return true;
}

/// The same with one launch for all iterations: method.persist().
template <class Exec, class Method>
bool run_persistent(Exec const& exec, News<Exec> const& news, Method const& method) {
  news.clear();
  method.start();
  auto const word = news.wait(exec, [](ProgressWord const&) { return true; });
  if (word.phase() == Phase::finished) return true;
  method.persist();
  news.wait(exec, [](ProgressWord const& next) { return next.phase() == Phase::finished; });
  return true;
}

}  // namespace einkorn::detail
