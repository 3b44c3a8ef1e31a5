// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The order in which groups of lanes compute the rows: 0, 1, .., or a permutation of all rows (sorted_rows).
struct NaturalOrder {
  static constexpr bool is_list = false;
  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(Ordinal position) const {
    return position;
  }
};
template <class List>
struct ListedOrder {
  static constexpr bool is_list = true;
  List list;
  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(Ordinal position) const {
    return list(position);
  }
};

/// A group of `lanes` neighbouring threads per row; 1: one thread per row. CSR-vector and CSR-scalar of Bell &
/// Garland, 2008. A row of up to lanes * unroll entries costs one round trip to memory. A group computes
/// `passes` rows one after another, each next to those of the neighbouring groups, so that a team reuses more
/// of x from the L1 cache.
template <SpmvTuning tuning, int lanes, bool conjugated, class Exec, class Matrix, class X, class Y,
          class EpilogueOp, class Rows>
struct SpmvRowTeam {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  int passes;  // rows per group
  Rows row_at;
  CacheHint<Exec> hint;

  static constexpr int groups = tuning.team_size / lanes;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    auto position = static_cast<Unsigned>(team.league_rank()) * static_cast<Unsigned>(groups * passes) +
                    static_cast<Unsigned>(team.team_rank() / lanes);
    for (int pass = 0; pass < passes; ++pass, position += groups)
      sum_row(position, team.team_rank() % lanes, accumulators);
  }

 private:
  using Unsigned = std::make_unsigned_t<Ordinal>;  // the last team may reach past the largest Ordinal

  KOKKOS_FORCEINLINE_FUNCTION void sum_row(Unsigned position, int lane, Accumulators& accumulators) const {
    bool const inside = position < static_cast<Unsigned>(A.num_rows);
    Ordinal const row = inside ? row_at(static_cast<Ordinal>(position)) : Ordinal(0);
    Sum sum = Sum(0);
    typename EpilogueOp::Prefetched prefetched{};
    if (lane == 0 && inside) prefetched = epilogue.prefetch(row);
    if (inside)
      sum = lane_dot<Sum, L, lanes, tuning.unroll, (lanes < 16), conjugated>(
          A, x, A.row_begin(row) + static_cast<Offset>(lane), A.row_end(row), hint);
    sum = sum_over_lanes<L, lanes>(sum);
    if (lane == 0 && inside) epilogue(accumulators, y(row), row, sum, prefetched);
  }
};

template <SpmvTuning tuning, int lanes, bool conjugated, class Exec, class Matrix, class X, class Y,
          class EpilogueOp, class Rows>
void launch_row_team(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                     Rows const& rows) {
  using Functor = SpmvRowTeam<tuning, lanes, conjugated, Exec, Matrix, X, Y, EpilogueOp, Rows>;
  using Policy = typename Functor::Policy;
  auto const num_rows = static_cast<std::size_t>(A.num_rows);
  int const passes = rows_per_group(lanes, tuning.unroll, num_rows, Functor::groups);
  auto const teams = ceil_div(num_rows, static_cast<std::size_t>(Functor::groups * passes));
  char const* const label = Rows::is_list ? "einkorn::spmv[csr,sorted_rows]"
                            : lanes == 1  ? "einkorn::spmv[csr,row_thread]"
                                          : "einkorn::spmv[csr,row_team]";
  epilogue.launch(label, Policy(exec, static_cast<int>(teams), tuning.team_size),
                  Functor{A, x, y, epilogue, passes, rows, cache_hint(exec, A, x, y)});
}

template <int lanes, int unroll, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp,
          class Rows>
void spmv_row_team(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                   Rows const& rows) {
  constexpr Arch arch = arch_of<Exec>;
  if constexpr (EpilogueOp::accumulates) {
    if constexpr (EpilogueOp::accumulates && lanes <= 4)
      if (static_cast<std::size_t>(A.num_rows) >= min_rows_of_small_teams)
        return launch_row_team<accumulating_row_team_tuning(arch, lanes, unroll, true), lanes, conjugated>(
            exec, epilogue, A, x, y, rows);
    launch_row_team<accumulating_row_team_tuning(arch, lanes, unroll, false), lanes, conjugated>(exec, epilogue,
                                                                                                 A, x, y, rows);
  } else {
    launch_row_team<row_team_tuning(arch, lanes, unroll), lanes, conjugated>(exec, epilogue, A, x, y, rows);
  }
}

/// y <- alpha A x + beta y with `lanes` lanes per row: a power of two, at most the lanes of a warp. 1 launch.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp,
          class Rows = NaturalOrder>
void spmv_row_team(Exec const& exec, int lanes, EpilogueOp const& epilogue, Matrix const& A, X const& x,
                   Y const& y, Rows const& rows = {}) {
  int const unroll = row_team_unroll(lanes, static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows));
  switch (lanes) {
    case 1:
      return spmv_row_team<1, 4, conjugated>(exec, epilogue, A, x, y, rows);
    case 2:
      return spmv_row_team<2, 4, conjugated>(exec, epilogue, A, x, y, rows);
    case 4:
      return spmv_row_team<4, 4, conjugated>(exec, epilogue, A, x, y, rows);
    case 8:
      if (unroll == 4) return spmv_row_team<8, 4, conjugated>(exec, epilogue, A, x, y, rows);
      return spmv_row_team<8, 6, conjugated>(exec, epilogue, A, x, y, rows);
    case 16:
      if (unroll == 6) return spmv_row_team<16, 6, conjugated>(exec, epilogue, A, x, y, rows);
      return spmv_row_team<16, 8, conjugated>(exec, epilogue, A, x, y, rows);
    case 64:
      if constexpr (Lanes<Exec>::size >= 64)
        return spmv_row_team<64, 8, conjugated>(exec, epilogue, A, x, y, rows);
      [[fallthrough]];
    default:
      return spmv_row_team<32, 8, conjugated>(exec, epilogue, A, x, y, rows);
  }
}

}  // namespace einkorn::detail
