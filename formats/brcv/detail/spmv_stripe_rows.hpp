// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/team_launch.hpp>
#include <einkorn/formats/brcv/brcv_tuning.hpp>
#include <einkorn/formats/brcv/detail/find_stripe.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// SpMV with a group of `lanes` neighbouring threads per row (GPU). A warp finds the stripe of its first row
/// from the marks of the plan, or by a search with all lanes. The stripe of a row r rows further is at most r
/// stripes further, so that a short binary search finds it. Values are read once; columns are read through the
/// cache, since all rows of the stripe read them. k columns of a multivector per pass.
template <BrcvTuning tuning, int lanes, int k, class Exec, class Format, class X, class Y, class Sum>
struct SpmvStripeRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using Marks = Kokkos::View<Ordinal*, typename Format::device_type>;
  using L = Lanes<Exec>;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Marks marks;    // of the plan, or empty
  int row_teams;  // teams per pass over the rows
  CacheHint<Exec> hint;

  static constexpr int rows_per_team = tuning.team_size / lanes;
  static constexpr int rows_per_warp = L::size < lanes ? 1 : L::size / lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int const column_tile = Y::rank() == 1 ? 0 : team.league_rank() / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    int const local = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    Ordinal const row =
        static_cast<Ordinal>(team.league_rank() - column_tile * row_teams) * rows_per_team + Ordinal(local);
    bool const inside = row < F.num_rows && row >= 0;  // row may overflow in the last team
    Ordinal const first_row = row - static_cast<Ordinal>(local % rows_per_warp);
    if (first_row >= F.num_rows || first_row < 0) return;  // the same in all lanes of the warp

    Ordinal known_row = first_row, low;  // low: the stripe of known_row
    if (marks.extent(0) > 0) {
      Ordinal const mark = first_row / brcv_rows_per_mark;
      known_row = mark * brcv_rows_per_mark;
      low = marks(mark);
    } else {
      low = stripe_of_row_by_lanes<L>(F.b, F.num_stripes(), first_row, team.team_rank() % L::size);
    }
    Sum sum[k];
    for (int j = 0; j < k; ++j) sum[j] = Sum(0);
    if (inside) {
      Ordinal const stripes_left = F.num_stripes() - low, max_stripes = row - known_row + 1;
      Ordinal const stripe =
          stripe_of_row(F.b, low, low + (max_stripes < stripes_left ? max_stripes : stripes_left), row);
      Offset const list = F.rc(stripe), length = F.rc(stripe + 1) - list;
      Offset const values = F.rv(stripe) + static_cast<Offset>(row - F.b(stripe)) * length;
      for (Offset p = static_cast<Offset>(lane); p < length; p += lanes * tuning.unroll)
        add_batch(F.values.data() + values, F.c.data() + list, p, length, column, sum);
    }
    for (int j = 0; j < k; ++j) sum[j] = sum_over_lanes<L, lanes>(sum[j]);
    if (lane == 0 && inside)
      for (int j = 0; j < k; ++j)
        if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
          epilogue(entry(y, row, column + static_cast<std::size_t>(j)), sum[j]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Scalar const* values_of_row, Ordinal const* list, Offset p,
                                             Offset length, std::size_t column, Sum (&sum)[k]) const {
    Ordinal columns[tuning.unroll];
    Scalar values[tuning.unroll];
    bool used[tuning.unroll];
    for (int u = 0; u < tuning.unroll; ++u) {  // past the end: loads the last entry again, unpredicated
      Offset const q = p + static_cast<Offset>(u) * lanes;
      used[u] = q < length;
      columns[u] = list[used[u] ? q : length - 1];
      values[u] = L::load_streaming(values_of_row + (used[u] ? q : length - 1), hint);
    }
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum from_x[tuning.unroll];
      for (int u = 0; u < tuning.unroll; ++u) from_x[u] = Sum(entry(x, columns[u], vector));
      for (int u = 0; u < tuning.unroll; ++u) {
        Sum const product = Sum(values[u]) * from_x[u];
        sum[j] += used[u] ? product : Sum(0);
      }
    }
  }
};

template <int lanes, class Exec, class Format, class X, class Y, class Sum, class Marks>
void spmv_stripe_rows(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x, Y const& y,
                      Marks const& marks) {
  constexpr BrcvTuning tuning = brcv_row_tuning(arch_of<Exec>, lanes);
  constexpr int k = Y::rank() == 1 ? 1 : tuning.columns_at_once;
  using Functor = SpmvStripeRows<tuning, lanes, k, Exec, Format, X, Y, Sum>;
  constexpr auto rows_per_team = static_cast<std::size_t>(Functor::rows_per_team);
  auto const row_teams = ceil_div(static_cast<std::size_t>(F.num_rows), rows_per_team);
  auto const tiles = Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), std::size_t(k));
  launch_teams(
      "einkorn::spmv[brcv]",
      light_weight(typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size)),
      Functor{F, x, y, epilogue, marks, static_cast<int>(row_teams), cache_hint(exec, F, x, y)});
}

/// Selects the lanes per row by the mean length: the fewest that load a mean row in one batch, as for CSR. 1
/// launch.
template <class Exec, class Format, class X, class Y, class Sum, class Marks>
void spmv_stripe_rows_by_mean(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                              Y const& y, Marks const& marks) {
  double const mean = static_cast<double>(F.nnz()) / static_cast<double>(F.num_rows);
  auto const suffices = [mean](int lanes) {
    return lanes * brcv_row_tuning(arch_of<Exec>, lanes).unroll >= mean;
  };
  if (suffices(2)) return spmv_stripe_rows<2>(exec, epilogue, F, x, y, marks);
  if (suffices(4)) return spmv_stripe_rows<4>(exec, epilogue, F, x, y, marks);
  if (suffices(8)) return spmv_stripe_rows<8>(exec, epilogue, F, x, y, marks);
  if (suffices(16)) return spmv_stripe_rows<16>(exec, epilogue, F, x, y, marks);
  spmv_stripe_rows<32>(exec, epilogue, F, x, y, marks);
}

}  // namespace einkorn::detail
