// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/cooperative.hpp>
#include <einkorn/solvers/detail/cg_state.hpp>
#include <einkorn/solvers/detail/cg_sweeps.hpp>
#include <einkorn/solvers/detail/persistent.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// A CG that has started, to its end, in one cooperative launch: the sweeps and the steps of CgMethod, with the
/// barriers between sweeps summing what they gather and running the steps.
template <class Exec, class Product, class Vectors, class Writer>
struct CgLoop {
  Product of_p, of_x;  // q = A p and q = A x
  Vectors v;
  CgState* state;
  Writer writer;
  bool tells_all;  // after every iteration, not at the end only
  int replace_every;

  KOKKOS_FUNCTION void operator()(CooperativeMember<Exec>& member) const {
    auto& own = member.template state<CgState>();
    double none[1] = {};
    member.sum_all(none, [&](double const*) { own = *state; });
    while (own.phase != Phase::finished) {
      if (own.phase == Phase::running && !own.is_due)
        iteration(member, own);
      else
        residual(member, own);
    }
    if (member.rank() > 0) return;
    *state = own;
    writer.tell(own);
  }

 private:
  KOKKOS_FUNCTION void iteration(CooperativeMember<Exec>& member, CgState& own) const {
    of_p(member, [&](double const* dots) { CgAfterProduct<Writer>{&own, Writer{}, true}(dots); });
    sweep_together<Exec>(member, v.r.extent(0), CgUpdate<Vectors>{v, &own}, [&](double const* sums) {
      CgAfterUpdate<Writer>{&own, member.speaks() && tells_all ? writer : Writer{}}(sums);
      own.is_due = own.is_running() && replace_every > 0 && own.iteration % replace_every == 0;
    });
  }
  KOKKOS_FUNCTION void residual(CooperativeMember<Exec>& member, CgState& own) const {
    bool const is_recheck = own.phase == Phase::candidate;
    if (own.owed != 0)
      sweep_together<Exec>(member, v.r.extent(0), CgSettle<Vectors>{v, &own, is_recheck}, [](double const*) {});
    of_x(member, [](double const*) {});
    sweep_together<Exec>(member, v.r.extent(0), CgResidual<Vectors, false>{v, &own, is_recheck},
                         [&](double const* sums) {
                           CgAfterResidual<Writer>{&own, is_recheck, Writer{}}(sums);
                           own.is_due = false;
                         });
    sweep_together<Exec>(member, v.r.extent(0), CgKeep<Vectors>{v, &own}, [](double const*) {});
  }
};

/// Makes a CgLoop around the product of an operator.
template <class Exec, class Vectors, class Writer>
struct MakeCgLoop {
  Vectors v;
  CgState* state;
  Writer writer;
  bool tells_all;
  int replace_every;

  template <class Product>
  CgLoop<Exec, Product, Vectors, Writer> operator()(Product const& product) const {
    return {product, product.with(v.x), v, state, writer, tells_all, replace_every};
  }
};

}  // namespace einkorn::detail
