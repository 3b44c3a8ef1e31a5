// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/prepare_solve.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/gmres/method.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn {

/// Memory of gmres() and fgmres(): m + 1 basis vectors and the best x, [n] each, m = min(options.restart, n);
/// one vector more for gmres() with a preconditioner, m more for fgmres(); m^2 + 5 m + 3 scalars for the
/// projected system; memory for sums. n in m: of all ranks. Otherwise as CgWorkspace. A workspace for a longer
/// cycle serves shorter ones, and one for fgmres() the other two methods. Source: the vectors of Saad & Schultz, 1986.
template <class Scalar, class Exec>
class GmresWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  using Space = detail::SolveSpace<detail::GmresState, Vector, Exec, false>;

  /// For an operator a, n x n, and this instance.
  /// @throws OutOfMemory, DimensionMismatch (A not square), InvalidArgument (options)
  template <class A>
  GmresWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {},
                 GmresKind kind = GmresKind::plain)
      : kind_(kind) {
    num_unknowns_ = detail::num_global_rows(a);
    detail::collectively(a, [&] { allocate_for(exec, a, options); });
    if constexpr (detail::IsDistributed<A>) a.gathered_sums().reserve_many(exec, totals_.extent(0));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] GmresKind kind() const { return kind_; }
  [[nodiscard]] int restart() const { return restart_; }  ///< the largest m
  [[nodiscard]] std::size_t bytes() const {
    return (basis_.extent(0) + best_.extent(0) + z_.extent(0)) * sizeof(Scalar) +
           coefficients_.extent(0) * sizeof(Z) + (totals_.extent(0) + partials_.extent(0)) * sizeof(double) +
           sizeof(unsigned) + space_.bytes();
  }
  /// v_k, [n].
  [[nodiscard]] Vector column(int k) const { return column_of(basis_, k); }
  /// M^-1 v_k, [n].
  [[nodiscard]] Vector z(int k) const { return column_of(z_, k); }
  [[nodiscard]] Vector r() const { return column(0); }
  [[nodiscard]] Vector p() const { return column(1); }
  [[nodiscard]] Vector const& best() const { return best_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  ///< entries between columns
  [[nodiscard]] auto const& coefficients() const { return coefficients_; }
  [[nodiscard]] auto const& totals() const { return totals_; }
  [[nodiscard]] auto const& partials() const { return partials_; }
  [[nodiscard]] auto const& arrived() const { return arrived_; }
  [[nodiscard]] Space const& space() const { return space_; }
  /// Held by a solve for its duration; shared by copies of the workspace.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// m = min(options.restart, n), at least 1.
  [[nodiscard]] int steps_of_cycle(SolverOptions const& options) const {
    auto const n = std::max<std::size_t>(num_unknowns_, 1);
    return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(options.restart), n));
  }
  /// @throws InvalidArgument if a solve of this kind with these options needs more memory
  void require_fits(Exec const& exec, SolverOptions const& options, GmresKind kind, char const* name) const {
    int const steps = steps_of_cycle(options);
    einkorn::require<InvalidArgument>(steps <= restart_, [&] {
      return std::string(name) + ": the workspace was made for cycles of " + std::to_string(restart_) +
             " steps, restart = " + std::to_string(options.restart) + " needs " + std::to_string(steps);
    });
    einkorn::require<InvalidArgument>(kind <= kind_, [&] {
      return std::string(name) + ": the workspace was made for GmresKind::" +
             (kind_ == GmresKind::plain ? "plain" : "preconditioned") + ", expected " +
             (kind == GmresKind::flexible ? "flexible" : "preconditioned");
    });
    einkorn::require<InvalidArgument>(num_partials(exec, steps) <= partials_.extent(0), [&] {
      return std::string(name) + ": the workspace has memory for " + std::to_string(partials_.extent(0)) +
             " partial sums, an execution-space instance of concurrency " + std::to_string(exec.concurrency()) +
             " needs " + std::to_string(num_partials(exec, steps)) + "; make the workspace with this instance";
    });
  }

 private:
  template <class A>
  void allocate_for(Exec const& exec, A const& a, SolverOptions const& options) {
    require_kokkos("GmresWorkspace");
    detail::check_options(options);
    detail::require_enumerator(kind_, GmresKind::flexible, "GmresWorkspace: kind");
    detail::require_square("GmresWorkspace", static_cast<std::size_t>(a.num_rows()),
                           static_cast<std::size_t>(a.num_cols()));
    size_ = static_cast<std::size_t>(a.num_rows());
    stride_ = ceil_div(size_, alignment) * alignment;
    restart_ = steps_of_cycle(options);
    auto const m = static_cast<std::size_t>(restart_);
    basis_ = allocate<Vector>(exec, "einkorn::GmresWorkspace::basis", (m + 1) * stride_);
    best_ = allocate<Vector>(exec, "einkorn::GmresWorkspace::best", size_);
    if (kind_ != GmresKind::plain)
      z_ = allocate<Vector>(exec, "einkorn::GmresWorkspace::z",
                            kind_ == GmresKind::flexible ? m * stride_ : stride_);
    coefficients_ = allocate<Kokkos::View<Z*, Device>>(exec, "einkorn::GmresWorkspace::coefficients",
                                                       detail::GmresArrays<Z>::size(m));
    totals_ = allocate<Sums>(exec, "einkorn::GmresWorkspace::totals", num_sums(restart_));
    partials_ = allocate<Sums>(exec, "einkorn::GmresWorkspace::partials", num_partials(exec, restart_));
    arrived_ = allocate_zeros<Kokkos::View<unsigned, Device>>("einkorn::GmresWorkspace::arrived");
    space_ = Space(exec, a, p(), r(), options, false);
  }

  using Device = typename Exec::device_type;
  using Sums = Kokkos::View<double*, Device>;
  static constexpr std::size_t alignment = 64;  // entries

  [[nodiscard]] Vector column_of(Vector const& columns, int k) const {
    return Vector(columns.data() + static_cast<std::size_t>(k) * stride_, size_);
  }
  static std::size_t num_sums(int m) {
    return (static_cast<std::size_t>(m) + 1) * static_cast<std::size_t>(detail::GmresArrays<Z>::parts);
  }
  [[nodiscard]] std::size_t num_partials(Exec const& exec, int m) const {
    return detail::basis_blocks<Exec, Scalar, Z>(exec, size_) * num_sums(m);
  }

  std::size_t size_ = 0, stride_ = 0, num_unknowns_ = 0;  // num_unknowns_: of all ranks
  int restart_ = 1;
  GmresKind kind_ = GmresKind::plain;
  Vector basis_, best_, z_;
  Kokkos::View<Z*, Device> coefficients_;
  Sums totals_, partials_;
  Kokkos::View<unsigned, Device> arrived_;
  Space space_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

namespace detail {

inline void check_execution_of_gmres(SolverOptions const& options, char const* name) {
  refuse_persistent(options, name);
  require<InvalidArgument>(options.execution != Execution::graph, [&] {
    return std::string(name) + ": Execution::graph needs steps with equal launches; those of GMRES differ";
  });
}

/// For b and x in the types of the kernels (core/kernel_view.hpp). preconditioner: not used by plain.
template <GmresKind kind, class Exec, class A, class M, class B, class X>
SolveReport gmres_with_workspace(Exec const& exec, char const* name, A const& a, M const& preconditioner,
                                 B const& b, X const& x, SolverOptions const& options,
                                 GmresWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  using Vector = typename GmresWorkspace<typename X::non_const_value_type, Exec>::Vector;
  constexpr bool is_scaled = kind == GmresKind::plain && requires { a.scaling(); };
  auto const check_method = [&]() -> std::optional<SolveReport> {
    check_execution_of_gmres(options, name);
    workspace.require_fits(exec, options, kind, name);
    if constexpr (is_scaled) {
      require<InvalidArgument>(a.sides() == decltype(a.sides())::right, [&] {
        return std::string(name) + ": the operator is scaled on both sides; ScaledSides::right is for GMRES";
      });
      auto const status = a.status();
      if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
    } else if constexpr (kind != GmresKind::plain && requires { preconditioner.status(); }) {
      auto const status = preconditioner.status();
      if (!status.usable()) return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const&) {
    if constexpr (is_scaled) divide_by(exec, a.scaling(), x_vector);  // A S (S^-1 x) = b
    auto const result =
        solve_gmres<kind>(exec, a, preconditioner, b_in_range, x_vector, solve_options, workspace);
    if constexpr (is_scaled) {
      multiply_by(exec, a.scaling(), x_vector);
      exec.fence("einkorn::gmres: x of the caller's system");
    }
    return result;
  };
  return prepare_and_solve(exec, name, a, b, x, options, workspace, check_method, solve);
}
template <GmresKind kind, class Exec, class A, class M, class B, class X>
SolveReport gmres_of_matrix(Exec const& exec, char const* name, A const& a, M const& preconditioner, B const& b,
                            X const& x, SolverOptions const& options) {
  using Workspace = GmresWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return gmres_with_workspace<kind>(exec, name, op, preconditioner, b, x, options,
                                      Workspace(exec, op, options, kind));
  });
}

/// Argument of the plain method in place of a preconditioner.
struct NoGmresPreconditioner {};

}  // namespace detail

/// Solves A x = b for a square A by restarted GMRES: after k steps of a cycle that starts with r,
///
///     |b - A x| = min |r - A V y|,   V: an orthonormal basis of span(r, A r, ..., A^(k-1) r)
///
/// As cg(): parameters, aliasing, results, special values, range, exceptions, determinism; A need not be
/// Hermitian. With a distributed operator n is the number of rows of all ranks, and a step sends two messages
/// of k + 2 sums each. An iteration is one product. A cycle has m = min(options.restart, n)
/// steps; restart is a field of SolverOptions, so that one list of designated initializers suffices. x changes
/// at the end of a cycle, or of the solve, only. The recursive residual is that of the projected system; b - A
/// x is computed at the end of each cycle, so that replace_every is not used.
///
/// Outcome::stagnated: also after max_stalls consecutive cycles that reduce |b - A x| by less than 1e-4 of it.
/// Outcome::breakdown: A is singular on the Krylov space (Quantity::triangular_pivot). If the Krylov space is
/// invariant and A is not singular on it, the solve converges. SolveReport::restarts counts cycles after the
/// first.
///
/// @param options  execution: not persistent and not graph (InvalidArgument)
/// @param workspace  made for at least this m
///
/// Cost of step k = 0, 1, ..., m - 1: a product and 2 k + 5 n-vectors; 3 k + 8 with a second orthogonalization
/// pass, which is decided on the device. One reduction per pass. A cycle: a product and m + 9 n-vectors more.
/// Host: one synchronization at the end of each cycle, to see a residual below the target before the basis is
/// overwritten; otherwise none before the end of the solve, except to poll.
///
/// Sources: Saad & Schultz, SIAM J. Sci. Stat. Comput. 7(3), 1986; classical Gram-Schmidt with
/// reorthogonalization: Giraud, Langou & Rozloznik, Comput. Math. Appl. 50(7), 2005; norm of the new vector
/// from the reduction of the projections: Swirydowicz, Langou, Ananthan, Yang & Thomas, Numer. Linear Algebra
/// Appl. 28(2), 2020. Departures: the second pass is omitted where the sum of |h_jk| is at most h_{k+1,k} / 2,
/// which bounds the loss of orthogonality by O(u); it is not delayed to the next step, so that a step with a
/// second pass has two reductions.
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X>
SolveReport gmres(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
                  GmresWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::gmres_with_workspace<GmresKind::plain>(exec, "gmres", a, detail::NoGmresPreconditioner{},
                                                        detail::as_input(b), detail::as_output(x), options,
                                                        workspace);
}

/// The same, preconditioned from the right, so that the residual is that of A x = b.
///
/// @param preconditioner  M, linear and the same in every application, not necessarily definite
/// @param workspace  made with GmresKind::preconditioned or flexible
///
/// If the setup of M failed (M.status()) with another outcome than indefinite_preconditioner, its outcome and
/// row are returned, and x is unchanged. Cost: M's own traffic once per step and once per cycle; 2 n-vectors
/// per cycle more.
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X> &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport gmres(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                  SolverOptions const& options,
                  GmresWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::gmres_with_workspace<GmresKind::preconditioned>(
      exec, "gmres", a, preconditioner, detail::as_input(b), detail::as_output(x), options, workspace);
}

/// Flexible GMRES: as gmres() with a preconditioner, which may differ between applications, such as another
/// iterative method. Stores z_k = M_k^-1 v_k, m n-vectors; x <- x + Z y.
///
/// @param workspace  made with GmresKind::flexible
///
/// Outcome::breakdown may also occur for a regular A, where A Z is singular. Source: Saad, SIAM J. Sci. Comput.
/// 14(2), 1993.
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X> &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport fgmres(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                   SolverOptions const& options,
                   GmresWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::gmres_with_workspace<GmresKind::flexible>(
      exec, "fgmres", a, preconditioner, detail::as_input(b), detail::as_output(x), options, workspace);
}

/// The same with a workspace made for this call. a: also a matrix, as for cg().
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>)
SolveReport gmres(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options = {}) {
  return detail::gmres_of_matrix<GmresKind::plain>(exec, "gmres", a, detail::NoGmresPreconditioner{},
                                                   detail::as_input(b), detail::as_output(x), options);
}
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>) &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport gmres(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                  SolverOptions const& options = {}) {
  return detail::gmres_of_matrix<GmresKind::preconditioned>(exec, "gmres", a, preconditioner,
                                                            detail::as_input(b), detail::as_output(x), options);
}
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>) &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport fgmres(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                   SolverOptions const& options = {}) {
  return detail::gmres_of_matrix<GmresKind::flexible>(exec, "fgmres", a, preconditioner, detail::as_input(b),
                                                      detail::as_output(x), options);
}

/// Calls with unsupported types: a static_assert states the reason.
template <class Exec, class A, class B, detail::NotSolutionOf<Exec, A, B> X>
SolveReport gmres(Exec const&, A const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X>(), A, B, X>();
  return {};
}
template <class Exec, class A, class B, class X, detail::WrongWorkspace<GmresWorkspace, Exec, A, B, X> W>
SolveReport gmres(Exec const&, A const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X, W, GmresWorkspace>(), A, B, X, W>();
  return {};
}
template <class Exec, class A, class M, class B, detail::NotPreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport gmres(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X>(), A, M, B, X>();
  return {};
}
template <class Exec, class A, class M, class B, class X,
          detail::WrongPreconditionedWorkspace<GmresWorkspace, Exec, A, M, B, X> W>
SolveReport gmres(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X, W, GmresWorkspace>(), A, M, X,
                        W>();
  return {};
}
template <class Exec, class A, class M, class B, detail::NotPreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport fgmres(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X>(), A, M, B, X>();
  return {};
}
template <class Exec, class A, class M, class B, class X,
          detail::WrongPreconditionedWorkspace<GmresWorkspace, Exec, A, M, B, X> W>
SolveReport fgmres(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X, W, GmresWorkspace>(), A, M, X,
                        W>();
  return {};
}

}  // namespace einkorn
