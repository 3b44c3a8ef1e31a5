// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/solvers/detail/cg_state.hpp>
#include <einkorn/solvers/detail/solve_space.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

/// What CG keeps: r, p, q and the best x met, n scalars each, and a little for sums. A solve with a workspace
/// allocates nothing. It is made for one operator (whose products decide how many partial sums there are) and
/// serves one solve at a time; copies share it. History and callback need room that the options ask for when it
/// is made.
template <class Scalar, class Exec>
class CgWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Space = detail::SolveSpace<detail::CgState, Exec>;

  /// One allocation a vector. Throws OutOfMemory, InvalidArgument (options).
  template <class A>
  CgWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {}) {
    require_kokkos("CgWorkspace");
    detail::check_options(options, "CgWorkspace");
    auto const n = static_cast<std::size_t>(a.num_rows());
    auto const vector = [&](char const* name) {
      return allocate<Vector>(exec, std::string("einkorn::CgWorkspace::") + name, n);
    };
    r_ = vector("r");
    p_ = vector("p");
    q_ = vector("q");
    best_ = vector("best");
    space_ = Space(exec, Space::template most_partials<false>(exec, a, p_, q_), options);
  }

  [[nodiscard]] std::size_t size() const { return r_.extent(0); }
  [[nodiscard]] std::size_t bytes() const { return 4 * size() * sizeof(Scalar) + space_.bytes(); }
  [[nodiscard]] Vector const& r() const { return r_; }
  [[nodiscard]] Vector const& p() const { return p_; }
  [[nodiscard]] Vector const& q() const { return q_; }
  [[nodiscard]] Vector const& best() const { return best_; }
  [[nodiscard]] Space const& space() const { return space_; }

 private:
  Vector r_, p_, q_, best_;
  Space space_;
};

namespace detail {

/// Shapes and options of a solve.
template <class A, class B, class X>
void check_system(A const& a, B const& b, X const& x, SolverOptions const& options, std::size_t room,
                  std::string const& name) {
  require_kokkos(name.c_str());
  check_options(options, name.c_str());
  auto const rows = static_cast<std::size_t>(a.num_rows()), cols = static_cast<std::size_t>(a.num_cols());
  auto const text = [](std::size_t value) { return std::to_string(value); };
  require<DimensionMismatch>(rows == cols, [&] {
    return name + ": A is " + text(rows) + " x " + text(cols) + ", expected a square one";
  });
  require<DimensionMismatch>(b.extent(0) == rows, [&] {
    return name + ": b has " + text(b.extent(0)) + " entries, expected " + text(rows) + " (rows of A)";
  });
  require<DimensionMismatch>(x.extent(0) == rows, [&] {
    return name + ": x has " + text(x.extent(0)) + " entries, expected " + text(rows) + " (columns of A)";
  });
  require<DimensionMismatch>(room == rows, [&] {
    return name + ": the workspace was made for " + text(room) + " rows, A has " + text(rows);
  });
  require<InvalidArgument>(!overlaps(b, x), [&] { return name + ": b and x overlap in memory"; });
}

}  // namespace detail

}  // namespace einkorn
