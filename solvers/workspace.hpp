// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/solvers/cg/state.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/engine/tuning.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// Memory of cg() and pcg(): r, p, q and the best x, [n] each; z [n] if M is neither the identity nor a
/// diagonal; 2 n scalars more if the rows of A fit on the chip of a GPU; memory for partial sums and, with the
/// options keep_history or callback, for residuals and x0. A solve with a workspace allocates no device memory,
/// except n scalars where b and x are scaled (cg(): range).
///
/// Made for one operator and one execution-space instance, whose product determines the number of partial sums.
/// It also serves other operators with as many rows that need no more; others are refused with InvalidArgument.
/// Copies share the memory. One solve at a time: a second one throws InvalidArgument unless NDEBUG is defined.
/// Make it with the options of the solve. With a distributed operator, its construction and destruction are
/// collective.
///
/// Source: the vectors of Hestenes & Stiefel, 1952. Departures: the best x; no vector for the preconditioned
/// residual of a diagonal M.
template <class Scalar, class Exec>
class CgWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Space = detail::SolveSpace<detail::CgState, Vector, Exec, false>;

  /// For cg() with the operator a, n x n. One allocation per vector.
  /// @throws OutOfMemory, DimensionMismatch (A not square), InvalidArgument (options)
  template <class A>
  CgWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {})
      : CgWorkspace(exec, a, options, false) {}
  /// For pcg() with a preconditioner of type M.
  template <class A, class M>
  CgWorkspace(Exec const& exec, A const& a, M const&, SolverOptions const& options)
      : CgWorkspace(exec, a, options, !detail::is_fusable<M>) {}

  [[nodiscard]] std::size_t size() const { return r_.extent(0); }
  [[nodiscard]] std::size_t bytes() const {
    return (4 * size() + z_.extent(0)) * sizeof(Scalar) + 2 * partials_[0].extent(0) * sizeof(double) +
           space_.bytes();
  }
  [[nodiscard]] Vector const& r() const { return r_; }
  [[nodiscard]] Vector const& p() const { return p_; }
  [[nodiscard]] Vector const& q() const { return q_; }
  [[nodiscard]] Vector const& best() const { return best_; }
  [[nodiscard]] Vector const& z() const { return z_; }
  [[nodiscard]] Space const& space() const { return space_; }
  /// Held by a solve for its duration; shared by copies of the workspace.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// Partial sums of an update, which the next update reduces (cg/prologue.hpp). Empty if separate launches
  /// reduce them.
  [[nodiscard]] auto const& partials(int which) const { return partials_[which]; }

 private:
  template <class A>
  CgWorkspace(Exec const& exec, A const& a, SolverOptions const& options, bool with_z) {
    detail::collectively(a, [&] { allocate_for(exec, a, options, with_z); });
    space_.connect_ranks(exec, a);
  }
  template <class A>
  void allocate_for(Exec const& exec, A const& a, SolverOptions const& options, bool with_z) {
    require_kokkos("CgWorkspace");
    detail::check_options(options);
    detail::require_square("CgWorkspace", static_cast<std::size_t>(a.num_rows()),
                           static_cast<std::size_t>(a.num_cols()));
    auto const n = static_cast<std::size_t>(a.num_rows());
    r_ = allocate<Vector>(exec, "einkorn::CgWorkspace::r", n);
    p_ = allocate<Vector>(exec, "einkorn::CgWorkspace::p", n);
    q_ = allocate<Vector>(exec, "einkorn::CgWorkspace::q", n);
    best_ = allocate<Vector>(exec, "einkorn::CgWorkspace::best", n);
    if (with_z) z_ = allocate<Vector>(exec, "einkorn::CgWorkspace::z", n);
    space_ = Space(exec, a, p_, q_, options, true);
    constexpr SolverTuning tuning = solver_tuning(arch_of<Exec>);
    if (!detail::IsDistributed<A> && space_.product_blocks() <= tuning.max_blocks_in_prologue &&
        n <= tuning.max_rows_with_prologue)
      for (auto& sums : partials_)
        sums = allocate<Sums>(exec, "einkorn::CgWorkspace::partials", 3 * (n / 256 + 1));
  }

  using Sums = Kokkos::View<double*, typename Exec::device_type>;

  Vector r_, p_, q_, best_, z_;
  Sums partials_[2];
  Space space_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

}  // namespace einkorn
