// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

/// What a solve does differently if its operator is distributed over ranks (solvers/distributed/operator.hpp):
/// sums are added over the ranks, decisions of the host are taken from sums only or agreed, and errors are
/// thrown by all ranks. For other operators these functions do nothing.
template <class A>
concept IsDistributed = requires(A const& a) {
  a.gathered_sums();
  a.communicator();
};

/// The operator that computes the products: `a`, or the one in a ScaledOperator.
template <class A>
auto const& product_operator(A const& a) {
  if constexpr (requires { a.scaled_operator(); })
    return a.scaled_operator();
  else
    return a;
}

/// Whether ranks wait for each other on the device only (Transport::is_stream_ordered()).
template <class A>
bool waits_on_device([[maybe_unused]] A const& a) {
  if constexpr (requires { product_operator(a).transport(); })
    return product_operator(a).transport().is_stream_ordered();
  else
    return false;
}

/// body(); if it throws on one rank, all ranks throw (Communicator::collectively()).
template <class A, class Body>
auto collectively([[maybe_unused]] A const& a, Body&& body) -> std::invoke_result_t<Body> {
  if constexpr (IsDistributed<A>)
    return a.communicator().collectively(std::forward<Body>(body));
  else
    return std::forward<Body>(body)();
}

/// Whether the condition holds on all ranks.
template <class A>
bool all_ranks_agree(A const& a, bool mine) {
  for (int const holds : a.communicator().all_gather(mine ? 1 : 0))
    if (holds == 0) return false;
  return true;
}

/// The largest value of all ranks; NaN if one is NaN.
template <class A>
double max_over_ranks([[maybe_unused]] A const& a, double mine) {
  if constexpr (IsDistributed<A>)
    for (double const value : a.communicator().all_gather(mine))
      if (!(value <= mine)) mine = value;
  return mine;
}

/// The rows of the system: those of all ranks.
template <class A>
std::size_t num_global_rows([[maybe_unused]] A const& a) {
  auto rows = static_cast<std::size_t>(a.num_rows());
  if constexpr (IsDistributed<A>) {
    auto const all = a.communicator().all_gather(rows);
    rows = 0;
    for (std::size_t const of_rank : all) rows += of_rank;
  }
  return rows;
}

/// The options that decide what the ranks launch, comparable as bytes.
struct OptionsKey {
  double tolerance, absolute_tolerance, divergence_factor;
  std::int64_t max_iterations, relative_to, replace_every, max_stalls, run_ahead, recurrence, execution,
      restart, keep_history, has_callback;

  explicit OptionsKey(SolverOptions const& options)
      : tolerance(options.tolerance),
        absolute_tolerance(options.absolute_tolerance),
        divergence_factor(options.divergence_factor),
        max_iterations(options.max_iterations),
        relative_to(static_cast<std::int64_t>(options.relative_to)),
        replace_every(options.replace_every),
        max_stalls(options.max_stalls),
        run_ahead(options.run_ahead),
        recurrence(static_cast<std::int64_t>(options.recurrence)),
        execution(static_cast<std::int64_t>(options.execution)),
        restart(options.restart),
        keep_history(options.keep_history),
        has_callback(options.callback ? 1 : 0) {}
  OptionsKey() : OptionsKey(SolverOptions()) {}
};

/// The options of a solve: unchanged, or for a distributed operator with a callback whose verdict all ranks
/// agree on: one false stops all, one exception is thrown by all.
/// @throws InvalidArgument if the options of a rank differ from those of rank 0
template <class A>
auto agreed_options([[maybe_unused]] A const& a, SolverOptions const& options,
                    [[maybe_unused]] char const* name)
    -> std::conditional_t<IsDistributed<A>, SolverOptions, SolverOptions const&> {
  if constexpr (IsDistributed<A>) {
    SolverOptions result = options;
    auto const keys = a.communicator().all_gather(OptionsKey(options));
    for (std::size_t rank = 1; rank < keys.size(); ++rank)
      require<InvalidArgument>(std::memcmp(&keys[rank], keys.data(), sizeof(OptionsKey)) == 0, [&] {
        return detail::joined(
            name, ": rank ", rank,
            " has other options than rank 0; all ranks need the same, with or without a callback");
      });
    if (options.callback)
      result.callback = [&a, callback = options.callback](std::int64_t iteration, double residual) {
        bool const goes_on = a.communicator().collectively([&] { return callback(iteration, residual); });
        for (int const other : a.communicator().all_gather(goes_on ? 1 : 0))
          if (other == 0) return false;
        return true;
      };
    return result;
  } else {
    return options;
  }
}

/// The report of a failed setup, if there is one: that of the lowest rank, with the global row.
template <class A>
std::optional<SolveReport> failure_of_ranks([[maybe_unused]] A const& a, std::optional<SolveReport> failure) {
  if constexpr (IsDistributed<A>) {
    struct Failure {
      Outcome outcome;
      std::int64_t row;
    };
    Failure mine{Outcome::converged, -1};
    if (failure) mine = {failure->outcome, failure->row < 0 ? -1 : a.first_row() + failure->row};
    for (Failure const& of_rank : a.communicator().all_gather(mine))
      if (of_rank.outcome != Outcome::converged) {
        if (!failure) failure.emplace();
        failure->outcome = of_rank.outcome;
        failure->row = of_rank.row;
        return failure;
      }
  }
  return failure;
}

}  // namespace einkorn::detail
