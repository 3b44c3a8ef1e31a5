// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/solve_in_range.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace einkorn::detail {

/// Checks shapes, memory and options of a solve. workspace_rows: rows that the workspace was made for.
template <class A, class B, class X>
void check_system(A const& a, B const& b, X const& x, SolverOptions const& options, std::size_t workspace_rows,
                  char const* name) {
  require_kokkos(name);
  check_options(options);
  auto const rows = static_cast<std::size_t>(a.num_rows());
  require_square(name, rows, static_cast<std::size_t>(a.num_cols()));
  require<DimensionMismatch>(b.extent(0) == rows, [&] {
    return detail::joined(name, ": b has ", b.extent(0), " entries, expected ", rows, " (rows of A)");
  });
  require<DimensionMismatch>(x.extent(0) == rows, [&] {
    return detail::joined(name, ": x has ", x.extent(0), " entries, expected ", rows, " (columns of A)");
  });
  require<DimensionMismatch>(workspace_rows == rows, [&] {
    return detail::joined(name, ": the workspace was made for ", workspace_rows, " rows, A has ", rows);
  });
  require_aligned(b, name, "b");
  require_aligned(x, name, "x");
  require<InvalidArgument>(!overlaps(b, x),
                           [&] { return detail::joined(name, ": b and x overlap in memory"); });
  require<InvalidArgument>(rows < 2 || (b.stride(0) == 1 && x.stride(0) == 1),
                           [&] { return detail::joined(name, ": b and x must be contiguous (stride 1)"); });
}

/// For methods without a loop for a cooperative launch.
inline void refuse_persistent(SolverOptions const& options, char const* name) {
  require<InvalidArgument>(options.execution != Execution::persistent, [&] {
    return detail::joined(
        name, ": Execution::persistent is for CG with the fused recurrence and without a preconditioner");
  });
}

/// The same memory as a View of the solvers' type.
template <class Exec, class V>
auto as_vector(V const& v) {
  using Device = typename Exec::device_type;
  static_assert(V::rank() == 1 && AccessibleFrom<V, Exec>);
  return Kokkos::View<typename V::value_type*, Device>(v.data(), v.extent(0));
}

/// The report of a solve whose preconditioner or scaling could not be set up. Nothing was computed.
inline SolveReport failed_setup(Outcome outcome, std::int64_t row) {
  SolveReport report;
  report.outcome = outcome;
  report.row = row;
  report.residual = report.initial_residual = std::nan("");
  return report;
}

/// The part that all public functions have in common: profiling region, checks of the arguments, one call per
/// workspace at a time, memory of the workspace, range of b and r.
///
/// check_method(): the method's own checks. Throws, or returns a report (std::optional) that ends the solve:
/// its preconditioner could not be set up. With a distributed operator all ranks throw or return the same
/// (engine/ranks.hpp). solve(b, x, options, requirements): a SolveResult, for Views of the
/// workspace's type. name: a string literal, "cg".
template <class Exec, class A, class B, class X, class Workspace, class CheckMethod, class Solve>
SolveReport prepare_and_solve(Exec const& exec, char const* name, A const& a, B const& b, X const& x,
                              SolverOptions const& options, Workspace const& workspace,
                              CheckMethod const& check_method, Solve const& solve) {
  using Vector = typename Workspace::Vector;
  ScopedRegion const region(joined("einkorn::", name).c_str());
  collectively(a, [&] { check_system(a, b, x, options, workspace.size(), name); });
  auto const call = workspace.one_call().begin(name, "workspace");
  if (auto const failure = failure_of_ranks(a, collectively(a, check_method))) return *failure;
  auto const x_vector = as_vector<Exec>(x);
  auto const requirements = collectively(
      a, [&] { return workspace.space().require_fits(exec, a, workspace.p(), workspace.r(), options, name); });
  return run_solve<Exec, A, Vector>(
      exec, a, as_vector<Exec>(b), x_vector, agreed_options(a, options, name), workspace,
      [&](typename Vector::const_type const& b_in_range, SolverOptions const& solve_options) {
        return solve(b_in_range, x_vector, solve_options, requirements);
      });
}

}  // namespace einkorn::detail
