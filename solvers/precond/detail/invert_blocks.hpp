// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>
#include <einkorn/solvers/precond/detail/gauss_jordan.hpp>
#include <einkorn/solvers/precond/detail/positive.hpp>
#include <einkorn/solvers/precond/detail/scratch_block.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// inverses <- the inverses of A's diagonal blocks; one block per team: one warp, or one thread of the host. A
/// block is loaded into scratch, equilibrated, inverted, scaled back and stored. A singular block becomes the
/// identity.
template <class Exec, class Blocks, class Matrix, class Inverses, class Faults>
struct InvertBlocks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Target = typename Inverses::non_const_value_type;
  using Sum = sum_type<Target, double>;
  using L = Lanes<Exec>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<L::size>>;
  using Member = typename Policy::member_type;
  using Block = ScratchBlock<Sum>;

  Blocks blocks;
  Matrix A;
  Inverses inverses;
  Faults faults;
  int max_rows;  // rows of the largest block

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const block = static_cast<Ordinal>(team.league_rank());
    Ordinal const begin = blocks.begin(block);
    Block const m(team.team_scratch(0).get_shmem_aligned(Block::bytes(max_rows), alignof(Sum)), max_rows,
                  blocks.rows(block));
    if (m.n == 0) return;
    load_block(team, begin, m);
    bool is_regular = check_entries(team, begin, m);
    if (is_regular) {
      equilibrate(team, m);
      is_regular = !report_zeros(team, begin, m);
    }
    if (is_regular) {
      int const row = invert_in_place(team, m);
      is_regular = row < 0;
      if (row >= 0 && team.team_rank() == 0)
        faults.report(Outcome::zero_pivot, static_cast<std::int64_t>(begin) + row);
    }
    if (is_regular) {
      scale_back(team, m);
      is_regular = !report_zeros(team, begin, m);
    }
    Target* const to = inverses.data() + blocks.values_at(block);
    for (int t = team.team_rank(); t < m.n * m.n; t += team.team_size()) {
      int const i = t % m.n, j = t / m.n;
      to[t] = is_regular ? Target(m(i, j)) : i == j ? Target(1) : Target(0);
    }
  }

 private:
  /// m <- the block. Lanes read consecutive entries of a row. Entries inside the block are sent in order to the
  /// lane of their column, so that duplicates are summed without atomics.
  KOKKOS_FUNCTION void load_block(Member const& team, Ordinal begin, Block const& m) const {
    int const lane = team.team_rank();
    for (int j = lane; j < m.n; j += L::size)
      for (int i = 0; i < m.n; ++i) m(i, j) = Sum(0);
    for (int i = lane; i < m.n; i += L::size) m.is_bad[i] = 0;
    team.team_barrier();
    for (int i = 0; i < m.n; ++i) {
      Offset const first = A.row_begin(begin + i), length = A.row_end(begin + i) - first;
      for (Offset base = 0; base < length; base += static_cast<Offset>(L::size)) {
        Offset const k = base + static_cast<Offset>(lane);
        Ordinal const column = k < length ? A.columns(first + k) - begin : Ordinal(-1);
        bool const inside = column >= 0 && column < static_cast<Ordinal>(m.n);
        Sum const value = inside ? Sum(A.values(first + k)) : Sum(0);
        for (auto mask = L::ballot(inside); mask != 0; mask &= mask - 1) {
          int const from = L::lowest(mask);
          int const j = L::shuffle(static_cast<int>(column), from);
          Sum const term = L::shuffle(value, from);
          if (lane == j % L::size) m(i, j) += term;
        }
      }
    }
    team.team_barrier();
  }

  /// Reports rows with entries that are not finite or a diagonal entry that is not positive. Returns false if
  /// any entry is not finite.
  KOKKOS_FUNCTION bool check_entries(Member const& team, Ordinal begin, Block const& m) const {
    for (int i = team.team_rank(); i < m.n; i += L::size) {
      auto const row = static_cast<std::int64_t>(begin) + i;
      for (int j = 0; j < m.n; ++j)
        if (!has_finite_parts(m(i, j))) m.is_bad[i] = 1;
      if (m.is_bad[i] != 0)
        faults.report(Outcome::non_finite, row);
      else if (!is_positive_real(Target(m(i, i))))
        faults.report(Outcome::indefinite_preconditioner, row);
    }
    team.team_barrier();
    return !m.any_bad();
  }

  /// Reports the rows marked by is_bad as zero_pivot. Returns whether there is one.
  KOKKOS_FUNCTION bool report_zeros(Member const& team, Ordinal begin, Block const& m) const {
    for (int i = team.team_rank(); i < m.n; i += L::size)
      if (m.is_bad[i] != 0) faults.report(Outcome::zero_pivot, static_cast<std::int64_t>(begin) + i);
    return m.any_bad();
  }

  /// (2^-r m 2^-c)^-1 = 2^c m^-1 2^r: divides entries of the inverse by 2^(c_i + r_j), in two steps, since the
  /// power may be out of the range of double. Marks columns that are not finite in Target.
  KOKKOS_FUNCTION void scale_back(Member const& team, Block const& m) const {
    for (int j = team.team_rank(); j < m.n; j += L::size)
      for (int i = 0; i < m.n; ++i) {
        int const exponent = -(m.column_scale[i] + m.row_scale[j]), half = exponent / 2;
        m(i, j) = m(i, j) * Kokkos::exp2(double(half)) * Kokkos::exp2(double(exponent - half));
        if (!has_finite_parts(Target(m(i, j)))) m.is_bad[j] = 1;
      }
    team.team_barrier();
  }
};

/// 1 launch, asynchronous on exec.
template <class Exec, class Blocks, class Matrix, class Inverses, class Faults>
void invert_blocks(Exec const& exec, Blocks const& blocks, Matrix const& A, Inverses const& inverses,
                   Faults const& faults) {
  using Functor = InvertBlocks<Exec, Blocks, Matrix, Inverses, Faults>;
  if (blocks.count() == 0) return;
  auto policy =
      typename Functor::Policy(exec, static_cast<int>(blocks.count()), static_cast<int>(Functor::L::size));
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::Block::bytes(blocks.max_rows()) +
                                                              alignof(typename Functor::Sum))));
  Kokkos::parallel_for("einkorn::BlockJacobi::update", light_weight(policy),
                       Functor{blocks, A, inverses, faults, blocks.max_rows()});
}

}  // namespace einkorn::detail
