// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/state.hpp>
#include <einkorn/solvers/engine/persistent.hpp>
#include <einkorn/solvers/engine/resident.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// A CG that has started, to its end, in one cooperative launch: the sweeps and the steps of CgMethod, with the
/// barriers between sweeps summing what they gather and running the steps.
template <class Exec, class Product, class Vectors, class Publisher>
struct CgLoop {
  Product of_p, of_x;  // q = A p and q = A x
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;  // after every iteration, not at the end only
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
    publisher.publish(own);
  }

 private:
  KOKKOS_FUNCTION void iteration(CooperativeMember<Exec>& member, CgState& own) const {
    of_p(member, [&](double const* dots) { CgAfterProduct<Publisher>{&own, Publisher{}, true}(dots); });
    run_pass_together<Exec>(member, v.r.extent(0), CgUpdate<Vectors>{v, &own}, [&](double const* sums) {
      CgAfterUpdate<Publisher>{&own, member.is_leader() && publish_each ? publisher : Publisher{}}(sums);
      own.is_due = own.is_running() && replace_every > 0 && own.iteration % replace_every == 0;
    });
  }
  KOKKOS_FUNCTION void residual(CooperativeMember<Exec>& member, CgState& own) const {
    bool const is_check = own.phase == Phase::check;
    if (own.deferred_alpha != 0)
      run_pass_together<Exec>(member, v.r.extent(0), CgFlushX<Vectors>{v, &own, is_check},
                              [](double const*) {});
    of_x(member, [](double const*) {});
    run_pass_together<Exec>(member, v.r.extent(0), CgResidual<Vectors, false>{v, &own, is_check},
                            [&](double const* sums) {
                              CgAfterResidual<Publisher>{&own, is_check, Publisher{}}(sums);
                              own.is_due = false;
                            });
    run_pass_together<Exec>(member, v.r.extent(0), CgSaveBest<Vectors>{v, &own}, [](double const*) {});
  }
};

/// A CG that has started, to its end, in one cooperative launch of a GPU whose blocks keep their rows of A and
/// their entries of r, p and q in scratch for as long as it lasts: an iteration reads nothing but entries of p
/// that other blocks own, and every second time x. The sweeps' bodies and the steps are those of CgMethod.
///
/// Threads meet once an iteration, for the sums. Blocks hand p to each other entry by entry
/// (CooperativeVector), so that nobody waits for more than what its rows need; and the sums of an update travel
/// with those of the next product, as in cg_head.hpp, so that an iteration that ends the solve is known after
/// one more product.
template <class Exec, class Entries, class Vectors, class Publisher>
struct CgResidentLoop {
  using Scalar = typename Vectors::Scalar;
  using Member = CooperativeMember<Exec>;
  using Own = CgVectors<BlockVector<decltype(Vectors::r)>, decltype(Vectors::scaling)>;
  using Rows = ResidentRows<Exec, Entries, Scalar>;
  static constexpr int of_product = 2, of_update = CgUpdate<Own>::Sums::count;
  // The second sum of an update is for scaled systems alone.
  static constexpr int of_both = of_product + (Vectors::is_scaled ? 3 : 2);

  Rows rows;
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;  // after every iteration, not at the end only
  int replace_every;

  KOKKOS_FUNCTION void operator()(Member& member) const {
    auto const block = rows.block(member);
    auto const own = own_vectors(block);
    auto& s = member.template state<CgState>();
    auto const widths = rows.load(block);
    block.for_each_row([&](std::size_t i) {
      own.r(i) = v.r(i);
      own.p(i) = v.p(i);
    });
    double too_long[1] = {widths.fits ? 0.0 : 1.0}, updated[of_update] = {};
    member.sum_relaxed(too_long, [&](double const* totals) {
      s = *state;
      s.is_open = false;
      if (totals[0] > 0) s.refuse_rows();
    });
    std::uint32_t tag = store_partials(member, block, own.p);
    while (s.phase != Phase::finished) {
      bool const is_due =
          s.is_running() && s.is_open && replace_every > 0 && (s.iteration + 1) % replace_every == 0;
      if (s.is_running() && !is_due) {
        tag = iteration(member, block, widths, own, s, tag, updated);
      } else {
        close(member, s, updated);
        if (s.phase != Phase::finished) replace(member, block, widths, own, s);
        if (s.phase != Phase::finished) tag = store_partials(member, block, own.p);
      }
    }
    block.for_each_row([&](std::size_t i) {
      v.r(i) = own.r(i);
      v.p(i) = own.p(i);
    });
    if (member.rank() > 0) return;
    *state = s;
    publisher.publish(s);
  }

 private:
  using Block = typename Rows::Block;
  using Widths = typename Rows::Widths;

  KOKKOS_FORCEINLINE_FUNCTION Own own_vectors(Block const& block) const {
    return {{block.vector_data(0), block.begin},
            {block.vector_data(1), block.begin},
            {block.vector_data(2), block.begin},
            {v.best.data(), 0},
            {v.x.data(), 0},
            v.b,
            v.scaling};
  }
  KOKKOS_FORCEINLINE_FUNCTION Publisher speaker(Member const& member) const {
    return member.is_leader() && publish_each ? publisher : Publisher{};
  }
  /// Own entries of a vector are there for the rows of all blocks, under the tag that is returned.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t store_partials(Member& member, Block const& block,
                                                           V const& vector) const {
    std::uint32_t const tag = member.epoch();
    block.for_each_row([&](std::size_t i) { rows.handed.store(i, vector(i), tag); });
    member.sync_block();
    return tag;
  }

  /// Returns the tag of the new p.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t iteration(Member& member, Block const& block, Widths const& widths,
                                                      Own const& own, CgState& s, std::uint32_t tag,
                                                      double (&updated)[of_update]) const {
    using Epilogue = CgUpdate<Own>;
    double sums[of_both] = {};
    rows.multiply(block, widths, own.p, tag, [&](std::size_t i, Scalar const& q) {
      own.q(i) = q;
      sums[0] += squared(q);
      double of_row[components<Scalar>] = {};
      add_product(of_row, own.p(i), q);
      sums[1] += of_row[0];
    });
    Epilogue const update{own, &s};
    typename Epilogue::Loaded early{};
    if (block.row(0) < block.end) early = update.load(block.row(0), {});
    sums[of_product] = updated[0];
    sums[of_both - 1] = updated[2];
    if constexpr (Vectors::is_scaled) sums[of_product + 1] = updated[1];
    for (double& sum : updated) sum = 0;
    member.sum_relaxed(sums, [&](double const* totals) {
      double const of_last[of_update] = {totals[of_product], Vectors::is_scaled ? totals[of_product + 1] : 0.0,
                                         totals[of_both - 1]};
      if (s.is_open) CgAfterUpdate<Publisher>{&s, speaker(member)}(of_last);
      CgAfterProduct<Publisher>{&s, Publisher{}, true}(totals);
      s.is_open = s.pending;
    });
    auto const scalars = update.begin();
    if (!scalars) return tag;
    std::uint32_t const next = member.epoch();
    auto const take = [&](std::size_t i, typename Epilogue::Loaded const& in) {
      update.store(i, in, scalars, updated);
      rows.handed.store(i, own.p(i), next);
    };
    if (block.row(0) < block.end) take(block.row(0), early);
    for (int u = 1; block.row(u) < block.end; ++u) take(block.row(u), update.load(block.row(u), scalars));
    member.sync_block();
    return next;
  }
  /// Takes the sums of the last update.
  KOKKOS_FORCEINLINE_FUNCTION void close(Member& member, CgState& s, double (&updated)[of_update]) const {
    member.sum_relaxed(updated, [&](double const* totals) { CgClose<Publisher>{&s, speaker(member)}(totals); });
    for (double& sum : updated) sum = 0;
  }
  /// r <- b - A x.
  KOKKOS_FORCEINLINE_FUNCTION void replace(Member& member, Block const& block, Widths const& widths,
                                           Own const& own, CgState& s) const {
    bool const is_check = s.phase == Phase::check;
    double none[1], sums[CgResidual<Own, false>::Sums::count] = {};
    run_pass(block, CgFlushX<Own>{own, &s, is_check}, none);
    block.for_each_row([&](std::size_t i) { own.q(i) = own.x(i); });
    auto const tag = store_partials(member, block, own.q);
    CgResidual<Own, false> const residual{own, &s, is_check};
    rows.multiply(block, widths, own.q, tag, [&](std::size_t i, Scalar const& q) {
      auto in = residual.load(i, true);
      in.q = q;
      residual.store(i, in, true, sums);
    });
    member.sum_relaxed(
        sums, [&](double const* totals) { CgAfterResidual<Publisher>{&s, is_check, Publisher{}}(totals); });
    run_pass(block, CgSaveBest<Own>{own, &s}, none);
  }
  /// A sweep over the entries of the block.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void run_pass(Block const& block, Body const& body, double* sums) {
    if (auto const scalars = body.begin(); scalars)
      block.for_each_row([&](std::size_t i) { body.store(i, body.load(i, scalars), scalars, sums); });
  }
};

/// Makes a loop around the product of an operator, or around rows that blocks keep.
template <class Exec, class Vectors, class Publisher>
struct MakeCgLoop {
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;
  int replace_every;

  template <class Product>
  CgLoop<Exec, Product, Vectors, Publisher> operator()(Product const& of_p, Product const& of_x) const {
    return {of_p, of_x, v, state, publisher, publish_each, replace_every};
  }
  template <class Entries, class Scalar>
  CgResidentLoop<Exec, Entries, Vectors, Publisher> operator()(
      ResidentRows<Exec, Entries, Scalar> const& rows) const {
    return {rows, v, state, publisher, publish_each, replace_every};
  }
};

}  // namespace einkorn::detail
