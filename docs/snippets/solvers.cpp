// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// The code of docs/solvers.md.
// [includes]
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/async_setup.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
// [includes]

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = einkorn::Csr<double, int, int, Exec::device_type>;
using Vector = Kokkos::View<double*, Exec::device_type>;

bool precondition(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x) {
  // [jacobi]
  auto const M = einkorn::make_jacobi(exec, A);
  auto const report = einkorn::pcg(exec, A, M, b, x);  // or bicgstab(exec, A, M, b, x)
  if (report.outcome == einkorn::Outcome::zero_pivot)
    std::printf("row %lld has no diagonal entry\n", static_cast<long long>(report.row));
  // [jacobi]
  return report.converged();
}

bool scale(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x) {
  // [scaled]
  auto const scaled =
      einkorn::make_jacobi_scaled(exec, A, einkorn::ScaledSides::both,  // right for BiCGStab
                                  [&](auto const& B) { return einkorn::make_operator<double>(exec, B); });
  auto const report = einkorn::cg(exec, scaled, b, x);  // for the x of A x = b, by the residual of A x = b
  // [scaled]
  return report.converged();
}

bool async_setup_beside(Exec const& exec, Matrix const& A) {
  auto const host_values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  einkorn::Csr<double, int, int, Kokkos::HostSpace::device_type> const host{
      A.num_rows, A.num_cols, Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets),
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns), host_values};
  int const n = A.num_rows;
  // [async_setup]
  auto work = einkorn::async_setup<einkorn::Sell>(exec, host);  // returns at once on a GPU
  Vector const b("b", n), x("x", n);                            // the application's own setup goes here
  Kokkos::deep_copy(exec, b, 1.0);
  auto const [csr, sell, diagonal] = work.wait();  // on the device: the CSR, its SELL, the diagonal
  auto const report = einkorn::cg(exec, sell, b, x);
  // [async_setup]
  return report.converged() && csr.nnz() == A.nnz() && diagonal.extent(0) == b.extent(0);
}

bool solve_often(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x) {
  int converged = 0;
  // [workspace]
  einkorn::SolverOptions const options{.tolerance = 1e-6, .relative_to = einkorn::RelativeTo::initial_residual};
  auto const op = einkorn::make_operator<double>(exec, A);  // A's plan, once
  einkorn::CgWorkspace<double, Exec> const workspace(exec, op, options);
  for (int step = 0; step < 3; ++step) {
    auto const report = einkorn::cg(exec, op, b, x, options, workspace);  // allocates nothing
    converged += report.converged();
    Kokkos::deep_copy(exec, b, x);
  }
  // [workspace]
  return converged == 3;
}

// [operator]
/// y_i = (1 + 2 c) x_i - c (x_{i-1} + x_{i+1}): a matrix-free operator.
struct Rod {
  int n;
  double c;

  int num_rows() const { return n; }
  int num_cols() const { return n; }
  template <class X>
  KOKKOS_FUNCTION double row(X const& x, int i) const {
    return (1 + 2 * c) * x(i) - c * ((i > 0 ? x(i - 1) : 0.0) + (i + 1 < n ? x(i + 1) : 0.0));
  }
  template <class X, class Y>
  void apply(Exec const& exec, X const& x, Y const& y) const;  // a parallel_for of y(i) = row(x, i)
};
// [operator]

template <class X, class Y>
struct ApplyRod {
  Rod rod;
  X x;
  Y y;
  KOKKOS_FUNCTION void operator()(int i) const { y(i) = rod.row(x, i); }
};
template <class X, class Y>
void Rod::apply(Exec const& exec, X const& x, Y const& y) const {
  Kokkos::parallel_for("Rod::apply", Kokkos::RangePolicy<Exec>(exec, 0, n), ApplyRod<X, Y>{*this, x, y});
}

// [apply_fused]
template <class X, class Y, class EpilogueOp>
struct RodPass {
  using Accumulators = typename EpilogueOp::Accumulators;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using L = einkorn::Lanes<Exec>;

  Rod rod;
  X x;
  Y y;
  EpilogueOp epilogue;  // writes y(i) and adds the terms of the solver's dot products to `accumulators`
  int num_parts;

  template <class Team>  // GPU: 256 rows per team
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    int const i = team.league_rank() * 256 + team.team_rank();
    if (i < rod.n) epilogue(accumulators, y(i), i, rod.row(x, i));
  }
  void run(int part, Accumulators& accumulators) const {  // host: a contiguous block of rows
    auto const first = [&](int p) { return static_cast<int>(1LL * rod.n * p / num_parts); };
    for (int i = first(part); i < first(part + 1); ++i) epilogue(accumulators, y(i), i, rod.row(x, i));
  }
};

struct FusedRod : Rod {
  template <class EpilogueOp, class X, class Y>
  void apply_fused(Exec const& exec, EpilogueOp const& epilogue, X const& x, Y const& y) const {
    using Kernel = RodPass<X, Y, EpilogueOp>;
    int const parts = einkorn::host_parts(exec);
    if constexpr (einkorn::is_gpu<Exec>)
      epilogue.launch("Rod::apply_fused", typename Kernel::Policy(exec, (n + 255) / 256, 256),
                      Kernel{*this, x, y, epilogue, parts});
    else
      epilogue.launch_parts(exec, "Rod::apply_fused", parts, Kernel{*this, x, y, epilogue, parts});
  }
};
// [apply_fused]

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  Matrix const A = einkorn::generate<double, int, int, Exec::device_type>(exec, "gen:stencil7:12");
  Vector const b("b", A.num_rows), x("x", A.num_rows);
  Kokkos::deep_copy(exec, b, 1.0);
  bool right = precondition(exec, A, b, x) && scale(exec, A, b, x) && solve_often(exec, A, b, x);
  right = right && async_setup_beside(exec, A);

  int const n = 5000;
  Vector const ones("ones", n), plain("plain", n), fused("fused", n);
  Kokkos::deep_copy(exec, ones, 1.0);
  auto const by_apply = einkorn::cg(exec, Rod{n, 10.0}, ones, plain);
  auto const by_fused = einkorn::cg(exec, FusedRod{{n, 10.0}}, ones, fused);
  right = right && by_apply.converged() && by_fused.converged() && by_apply.iterations == by_fused.iterations;
  right = right && einkorn::bicgstab(exec, FusedRod{{n, 10.0}}, ones, plain).converged();
  return right ? 0 : 1;
}
