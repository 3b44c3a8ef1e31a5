// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/richardson/passes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Richardson's iteration as launches. Beside each pass: n-vectors read and written.
template <class Exec, class A, class M, class Vectors, class Workspace>
struct RichardsonMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  static constexpr bool is_distributed = IsDistributed<A>;
  static constexpr char const *residual_label = "einkorn::richardson[residual]",
                              *save_best_label = "einkorn::richardson[save_best]";

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Vectors v;
  Workspace const& workspace;
  Limits limits;
  Publisher publisher;

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] RichardsonState* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void apply_to_x() const { a.apply(exec, v.x, v.q); }
  void start() const {  // r = b - A x, best = x; 5 and the product
    apply_to_x();
    space().run_pass(exec, a, "einkorn::richardson[start]", size(), FirstResidualPass<Vectors>{v},
                     RichardsonStart<Publisher>{state(), limits, publisher});
  }
  void iteration() const {
    preconditioner.apply(exec, v.r, v.p);  // p = M^-1 r
    a.apply(exec, v.p, v.q);               // q = A p                                                 2
    // x += p, r -= q, r.r                                                                            6
    space().run_pass(exec, a, "einkorn::richardson[update]", size(), RichardsonUpdate<Vectors>{v, state()},
                     RichardsonAfterUpdate<Publisher>{state(), publisher});
  }
  /// r <- b - A x (engine/residual_replacement.hpp).
  void true_residual(ResidualUse use) const { compute_true_residual(*this, use); }
};

template <class Exec, class A, class M, class Vector, class Workspace>
SolveResult solve_richardson(Exec const& exec, A const& a, M const& preconditioner,
                             typename Vector::const_type const& b, Vector const& x,
                             SolverOptions const& options, Workspace const& w) {
  using Vectors = RichardsonVectors<Vector>;
  auto const& flag = w.space().progress_flag();
  RichardsonMethod<Exec, A, M, Vectors, Workspace> const method{exec,
                                                                a,
                                                                preconditioner,
                                                                Vectors{w.r(), w.p(), w.q(), w.best(), x, b},
                                                                w,
                                                                limits_of(options),
                                                                flag.publisher(wants_history(options))};
  int const per_graph = w.space().iterations_per_graph(options, a, w.size(), false);
  return solve_from_host(exec, options, flag, method, per_graph, method.v.x, method.v.best);
}

}  // namespace einkorn::detail
