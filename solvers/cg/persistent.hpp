// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/state.hpp>
#include <einkorn/solvers/engine/persistent.hpp>
#include <einkorn/solvers/engine/resident.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The iterations of CG in one cooperative launch: the passes and steps of CgMethod, separated by barriers that
/// also reduce the sums and run the steps.
template <class Exec, class Product, class Vectors, class Publisher>
struct CgLoop {
  Product multiply_p, multiply_x;  // q = A p and q = A x
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;  // after every iteration, not only at the end
  int replace_every;

  KOKKOS_FUNCTION void operator()(CooperativeMember<Exec>& member) const {
    auto& own = member.template state<CgState>();
    double none[1] = {};
    member.sum_all(none, [&](double const*) { own = *state; });
    while (own.phase != Phase::finished) {
      if (own.phase == Phase::running && !own.replacement_due)
        iteration(member, own);
      else
        true_residual(member, own);
    }
    if (member.rank() > 0) return;
    *state = own;
    publisher.publish(own);
  }

 private:
  KOKKOS_FUNCTION void iteration(CooperativeMember<Exec>& member, CgState& own) const {
    multiply_p(member, [&](double const* dots) { CgAfterProduct<Publisher>{&own, Publisher{}, true}(dots); });
    cooperative_pass<Exec>(member, v.r.extent(0), CgUpdate<Vectors>{v, &own}, [&](double const* sums) {
      CgAfterUpdate<Publisher>{&own, member.is_leader() && publish_each ? publisher : Publisher{}}(sums);
      own.replacement_due = own.is_running() && replace_every > 0 && own.iteration % replace_every == 0;
    });
  }
  KOKKOS_FUNCTION void true_residual(CooperativeMember<Exec>& member, CgState& own) const {
    auto const use = own.phase == Phase::check ? ResidualUse::check : ResidualUse::replacement;
    if (own.deferred_alpha != 0)
      cooperative_pass<Exec>(member, v.r.extent(0), CgFlushX<Vectors>{v, &own, use}, [](double const*) {});
    multiply_x(member, [](double const*) {});
    cooperative_pass<Exec>(member, v.r.extent(0), TrueResidualPass<Vectors, CgState>{v, &own, use},
                           [&](double const* sums) {
                             AfterTrueResidual<CgState, Publisher>{&own, use, Publisher{}}(sums);
                             own.replacement_due = false;
                           });
    cooperative_pass<Exec>(member, v.r.extent(0), SaveBestPass<Vectors, CgState>{v, &own},
                           [](double const*) {});
  }
};

/// The iterations of CG in one cooperative launch of a GPU whose blocks keep their rows of A and their entries
/// of r, p and q in scratch. An iteration reads only the entries of p in other blocks, and every second time x.
/// The bodies of the passes and the steps are those of CgMethod.
///
/// One synchronization per iteration, for the sums. Blocks exchange p entry by entry (CooperativeVector): a
/// block waits only for the entries that its rows need. The sums of an update are combined with those of the
/// next product, as in prologue.hpp, so that the end of the solve is detected one product later.
template <class Exec, class Entries, class Vectors, class Publisher>
struct CgResidentLoop {
  using Scalar = typename Vectors::Scalar;
  using Member = CooperativeMember<Exec>;
  using BlockVectors = CgVectors<BlockVector<decltype(Vectors::r)>, decltype(Vectors::scaling)>;
  using Rows = ResidentRows<Exec, Entries, Scalar>;
  static constexpr int num_product_sums = 2, num_update_sums = CgUpdate<BlockVectors>::Sums::count;
  // The second sum of an update is used by scaled systems only.
  static constexpr int num_sums = num_product_sums + (Vectors::is_scaled ? 3 : 2);

  Rows rows;
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;  // after every iteration, not only at the end
  int replace_every;

  KOKKOS_FUNCTION void operator()(Member& member) const {
    auto const block = rows.block(member);
    auto const own = block_vectors(block);
    auto& s = member.template state<CgState>();
    auto const widths = rows.load(block);
    block.for_each_row([&](std::size_t i) {
      own.r(i) = v.r(i);
      own.p(i) = v.p(i);
    });
    double num_too_long[1] = {widths.fits ? 0.0 : 1.0}, update_sums[num_update_sums] = {};
    member.sum_relaxed(num_too_long, [&](double const* totals) {
      s = *state;
      s.sums_pending = false;
      if (totals[0] > 0) s.stop_rows_too_long();
    });
    std::uint32_t tag = publish_entries(member, block, own.p);
    while (s.phase != Phase::finished) {
      bool const replacement_due =
          s.is_running() && s.sums_pending && replace_every > 0 && (s.iteration + 1) % replace_every == 0;
      if (s.is_running() && !replacement_due) {
        tag = iteration(member, block, widths, own, s, tag, update_sums);
      } else {
        finish_update(member, s, update_sums);
        if (s.phase != Phase::finished) true_residual(member, block, widths, own, s);
        if (s.phase != Phase::finished) tag = publish_entries(member, block, own.p);
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

  KOKKOS_FORCEINLINE_FUNCTION BlockVectors block_vectors(Block const& block) const {
    return {{block.vector_data(0), block.begin},
            {block.vector_data(1), block.begin},
            {block.vector_data(2), block.begin},
            {v.best.data(), 0},
            {v.x.data(), 0},
            v.b,
            v.scaling};
  }
  KOKKOS_FORCEINLINE_FUNCTION Publisher publisher_of(Member const& member) const {
    return member.is_leader() && publish_each ? publisher : Publisher{};
  }
  /// Publishes the block's entries of a vector to all blocks. Returns their tag.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t publish_entries(Member& member, Block const& block,
                                                            V const& vector) const {
    std::uint32_t const tag = member.epoch();
    block.for_each_row([&](std::size_t i) { rows.exchange.store(i, vector(i), tag); });
    member.sync_block();
    rows.send(block, vector, tag);
    return tag;
  }

  /// Returns the tag of the new p.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t iteration(Member& member, Block const& block, Widths const& widths,
                                                      BlockVectors const& own, CgState& s, std::uint32_t tag,
                                                      double (&update_sums)[num_update_sums]) const {
    using Update = CgUpdate<BlockVectors>;
    double sums[num_sums] = {};
    rows.multiply(block, widths, own.p, tag, [&](std::size_t i, Scalar const& q) {
      own.q(i) = q;
      sums[0] += squared(q);
      double product[components<Scalar>] = {};
      add_product(product, own.p(i), q);
      sums[1] += product[0];
    });
    // Rows of a thread are updated in batches, whose entries of x are loaded together; those of the first batch before
    // it is known whether they are needed.
    constexpr int batch = sizeof(Scalar) <= 8 ? 4 : 2;
    Update const update{own, &s};
    typename Update::Loaded in[batch] = {};
    auto const load = [&](int first, typename Update::Scalars const& scalars) {
      for (int u = 0; u < batch; ++u)
        if (block.row(first + u) < block.end) in[u] = update.load(block.row(first + u), scalars);
    };
    load(0, {});
    sums[num_product_sums] = update_sums[0];
    sums[num_sums - 1] = update_sums[2];
    if constexpr (Vectors::is_scaled) sums[num_product_sums + 1] = update_sums[1];
    for (double& sum : update_sums) sum = 0;
    member.sum_relaxed(sums, [&](double const* totals) {
      double const update_totals[num_update_sums] = {totals[num_product_sums],
                                                     Vectors::is_scaled ? totals[num_product_sums + 1] : 0.0,
                                                     totals[num_sums - 1]};
      if (s.sums_pending) CgAfterUpdate<Publisher>{&s, publisher_of(member)}(update_totals);
      CgAfterProduct<Publisher>{&s, Publisher{}, true}(totals);
      s.sums_pending = s.in_iteration;
    });
    auto const scalars = update.begin();
    if (!scalars) return tag;
    std::uint32_t const next = member.epoch();
    for (int first = 0; block.row(first) < block.end; first += batch) {
      if (first > 0) load(first, scalars);
      for (int u = 0; u < batch; ++u) {
        std::size_t const i = block.row(first + u);
        if (i >= block.end) break;
        update.store(i, in[u], scalars, update_sums);
        rows.exchange.store(i, own.p(i), next);
      }
    }
    member.sync_block();
    rows.send(block, own.p, next);
    return next;
  }
  /// Reduces the sums of the last update.
  KOKKOS_FORCEINLINE_FUNCTION void finish_update(Member& member, CgState& s,
                                                 double (&update_sums)[num_update_sums]) const {
    member.sum_relaxed(update_sums, [&](double const* totals) {
      CgFinishUpdate<Publisher>{&s, publisher_of(member)}(totals);
    });
    for (double& sum : update_sums) sum = 0;
  }
  /// r <- b - A x (engine/residual_replacement.hpp).
  KOKKOS_FORCEINLINE_FUNCTION void true_residual(Member& member, Block const& block, Widths const& widths,
                                                 BlockVectors const& own, CgState& s) const {
    using Residual = TrueResidualPass<BlockVectors, CgState>;
    auto const use = s.phase == Phase::check ? ResidualUse::check : ResidualUse::replacement;
    double none[1], sums[Residual::Sums::count] = {};
    run_pass(block, CgFlushX<BlockVectors>{own, &s, use}, none);
    block.for_each_row([&](std::size_t i) { own.q(i) = own.x(i); });
    auto const tag = publish_entries(member, block, own.q);
    Residual const residual{own, &s, use};
    rows.multiply(block, widths, own.q, tag, [&](std::size_t i, Scalar const& q) {
      auto in = residual.load(i, true);
      in.ax = q;
      residual.store(i, in, true, sums);
    });
    member.sum_relaxed(sums, [&](double const* totals) {
      AfterTrueResidual<CgState, Publisher>{&s, use, Publisher{}}(totals);
    });
    run_pass(block, SaveBestPass<BlockVectors, CgState>{own, &s}, none);
  }
  /// A pass over the entries of the block.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void run_pass(Block const& block, Body const& body, double* sums) {
    if (auto const scalars = body.begin(); scalars)
      block.for_each_row([&](std::size_t i) { body.store(i, body.load(i, scalars), scalars, sums); });
  }
};

/// Makes the loop around the product of an operator, or around resident rows.
template <class Exec, class Vectors, class Publisher>
struct MakeCgLoop {
  Vectors v;
  CgState* state;
  Publisher publisher;
  bool publish_each;
  int replace_every;

  template <class Product>
  CgLoop<Exec, Product, Vectors, Publisher> operator()(Product const& multiply_p,
                                                       Product const& multiply_x) const {
    return {multiply_p, multiply_x, v, state, publisher, publish_each, replace_every};
  }
  template <class Entries, class Scalar>
  CgResidentLoop<Exec, Entries, Vectors, Publisher> operator()(
      ResidentRows<Exec, Entries, Scalar> const& rows) const {
    return {rows, v, state, publisher, publish_each, replace_every};
  }
};

}  // namespace einkorn::detail
