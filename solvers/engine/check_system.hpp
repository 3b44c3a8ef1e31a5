// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

template <class A>
void check_square(A const& a, std::string const& name) {
  auto const rows = static_cast<std::size_t>(a.num_rows()), cols = static_cast<std::size_t>(a.num_cols());
  require<DimensionMismatch>(rows == cols, [&] {
    return name + ": A is " + std::to_string(rows) + " x " + std::to_string(cols) + ", expected a square one";
  });
}

/// Shapes and options of a solve.
template <class A, class B, class X>
void check_system(A const& a, B const& b, X const& x, SolverOptions const& options, std::size_t room,
                  std::string const& name) {
  require_kokkos(name.c_str());
  check_options(options);
  check_square(a, name);
  auto const rows = static_cast<std::size_t>(a.num_rows());
  auto const text = [](std::size_t value) { return std::to_string(value); };
  require<DimensionMismatch>(b.extent(0) == rows, [&] {
    return name + ": b has " + text(b.extent(0)) + " entries, expected " + text(rows) + " (rows of A)";
  });
  require<DimensionMismatch>(x.extent(0) == rows, [&] {
    return name + ": x has " + text(x.extent(0)) + " entries, expected " + text(rows) + " (columns of A)";
  });
  require<DimensionMismatch>(room == rows, [&] {
    return name + ": the workspace was made for " + text(room) + " rows, A has " + text(rows);
  });
  require_aligned(b, name.c_str(), "b");
  require_aligned(x, name.c_str(), "x");
  require<InvalidArgument>(!overlaps(b, x), [&] { return name + ": b and x overlap in memory"; });
  require<InvalidArgument>(rows < 2 || (b.stride(0) == 1 && x.stride(0) == 1),
                           [&] { return name + ": b and x must be contiguous (stride 1)"; });
}

/// For methods that have no loop for a cooperative launch.
inline void refuse_persistent(SolverOptions const& options, char const* name) {
  require<InvalidArgument>(options.execution != Execution::persistent, [&] {
    return std::string(name) +
           ": Execution::persistent is for CG with fused scalars and without a preconditioner";
  });
}

/// The same memory as a plain View of the solver's kind.
template <class Exec, class V>
auto as_vector(V const& v) {
  using Device = typename Exec::device_type;
  static_assert(V::rank() == 1 && AccessibleFrom<V, Exec>);
  return Kokkos::View<typename V::value_type*, Device>(v.data(), v.extent(0));
}

/// What a solve with a preconditioner that cannot be applied has to say. Nothing was computed.
inline SolveReport failed_setup(Outcome outcome, std::int64_t row) {
  SolveReport report;
  report.outcome = outcome;
  report.row = row;
  report.residual = report.initial_residual = std::nan("");
  return report;
}

}  // namespace einkorn::detail
