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
/// barriers between sweeps summing what they gather. Every thread keeps the scalars, and takes every step, for
/// itself; all have the same bits.
template <class Exec, class Product, class Vectors, class Writer>
struct CgLoop {
  Product product;
  Vectors v;
  CgState* state;
  Writer writer;
  bool tells_all;  // after every iteration, not at the end only
  int replace_every;

  KOKKOS_FUNCTION void operator()(CooperativeMember<Exec>& member) const {
    CgState own = *state;
    bool const speaks = member.rank() == 0;
    Writer const silent{}, told = speaks && tells_all ? writer : silent;
    while (own.phase != Phase::finished) {
      if (own.phase == Phase::running) iteration(member, own, told);
      if (own.phase == Phase::candidate)
        residual(member, own, true);
      else if (own.is_running() && replace_every > 0 && own.iteration % replace_every == 0)
        residual(member, own, false);
    }
    member.sync();  // nobody reads *state any more
    if (!speaks) return;
    *state = own;
    writer.tell(own);
  }

 private:
  KOKKOS_FUNCTION void iteration(CooperativeMember<Exec>& member, CgState& own, Writer const& told) const {
    double dots[Product::count];
    product(member, v.p, dots);  // q = A p
    CgAfterProduct<Writer>{&own, Writer{}}(dots);
    double sums[CgUpdate<Vectors>::Sums::count];
    sweep_together<Exec>(member, v.r.extent(0), CgUpdate<Vectors>{v, &own}, sums);
    CgAfterUpdate<Writer>{&own, told}(sums);
  }
  KOKKOS_FUNCTION void residual(CooperativeMember<Exec>& member, CgState& own, bool is_recheck) const {
    double dots[Product::count];
    product(member, v.x, dots);  // q = A x
    double sums[CgResidual<Vectors, false>::Sums::count];
    sweep_together<Exec>(member, v.r.extent(0), CgResidual<Vectors, false>{v, &own, is_recheck}, sums);
    CgAfterResidual<Writer>{&own, is_recheck, Writer{}}(sums);
    double none[1];
    sweep_together<Exec>(member, v.r.extent(0), CgKeep<Vectors>{v, &own}, none);
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
    return {product, v, state, writer, tells_all, replace_every};
  }
};

}  // namespace einkorn::detail
