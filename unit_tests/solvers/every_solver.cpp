// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "every_solver.hpp"
#include "systems.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/gmres.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace einkorn::test {
namespace {

std::vector<double> positive_inverse(Matrix const& A) {
  auto inverse = inverse_diagonal(to_host(A));
  for (auto& entry : inverse) entry = std::isfinite(entry) ? std::abs(entry) : 1.0;
  return inverse;
}

Solver cg_in(std::string const& name, Recurrence recurrence, Execution execution) {
  return {name,
          [=](Matrix const& A, Vector const& b, Vector const& x, SolverOptions options) {
            options.recurrence = recurrence;
            options.execution = execution;
            auto const by_rows = make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::row_team});
            return cg(Space(), SpmvOperator(by_rows), b, x, options);
          },
          execution != Execution::persistent};
}

}  // namespace

std::vector<Solver> const& every_solver() {
  static std::vector<Solver> const all = [] {
    std::vector<Solver> solvers{
        cg_in("cg, fused", Recurrence::fused, Execution::launches),
        cg_in("cg, classical", Recurrence::classical, Execution::launches),
        {"pcg, a diagonal",
         [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions const& options) {
           return pcg(Space(), A, FusableUserDiagonal<double>(positive_inverse(A)), b, x, options);
         }},
        {"pcg, apply()",
         [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions const& options) {
           return pcg(Space(), A, UserDiagonal<double>(positive_inverse(A)), b, x, options);
         }},
        {"bicgstab", [](Matrix const& A, Vector const& b, Vector const& x,
                        SolverOptions const& options) { return bicgstab(Space(), A, b, x, options); }},
        {"bicgstab, apply()",
         [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions const& options) {
           return bicgstab(Space(), A, UserDiagonal<double>(positive_inverse(A)), b, x, options);
         }},
        {"gmres", [](Matrix const& A, Vector const& b, Vector const& x,
                     SolverOptions const& options) { return gmres(Space(), A, b, x, options); }},
        {"gmres, apply()",
         [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions const& options) {
           return gmres(Space(), A, UserDiagonal<double>(positive_inverse(A)), b, x, options);
         }},
        {"fgmres, apply()",
         [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions const& options) {
           return fgmres(Space(), A, UserDiagonal<double>(positive_inverse(A)), b, x, options);
         }}};
    if (is_cooperative<Space>)
      solvers.push_back(cg_in("cg, persistent", Recurrence::fused, Execution::persistent));
    if (is_gpu<Space>) {
      solvers.push_back(cg_in("cg, graph", Recurrence::fused, Execution::graph));
      solvers.push_back(
          {"bicgstab, graph", [](Matrix const& A, Vector const& b, Vector const& x, SolverOptions options) {
             options.execution = Execution::graph;
             return bicgstab(Space(), A, b, x, options);
           }});
    }
    return solvers;
  }();
  return all;
}

}  // namespace einkorn::test
