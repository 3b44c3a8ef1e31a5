// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/brcv/brcv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// One byte per row: whether the row is the first of a stripe.
template <class Device>
using StripeStarts = Kokkos::View<std::uint8_t*, Device>;

/// Row i starts a stripe if i = 0, or if its length or one of its columns differs from that of row i - 1.
/// `lanes` threads per row; a group stops at the first different column. The loop runs until the last group of
/// the warp has finished, because all lanes of a warp must take part in a ballot.
template <int lanes, class Exec, class Matrix, class Starts>
struct MarkStripes {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using L = Lanes<Exec>;
  using Mask = typename L::Mask;

  Matrix A;
  Starts starts;

  /// Called by all lanes of a warp; rows outside the matrix are ignored.
  /// @param group index of the group in its warp
  /// @param lane index of the lane in its group
  KOKKOS_FUNCTION void mark(Ordinal row, int group, int lane) const {
    bool const inside = row >= 0 && row < A.num_rows;
    bool starts_here = inside && row == 0;
    Offset begin = 0, before = 0, length = 0;
    if (inside && row > 0) {
      before = A.row_begin(row - 1);
      begin = A.row_begin(row);
      length = A.row_end(row) - begin;
      starts_here = length != begin - before;
    }
    Mask const group_mask = static_cast<Mask>(full_group_mask << (group * lanes));
    Offset done = 0;
    while (L::ballot(!starts_here && done < length) != 0) {
      bool differs = false;
      if (!starts_here && done + static_cast<Offset>(lane) < length) {
        Offset const j = done + static_cast<Offset>(lane);
        differs = A.columns(begin + j) != A.columns(before + j);
      }
      Mask const found = L::ballot(differs);  // by all lanes, also those of finished rows
      starts_here = starts_here || (found & group_mask) != 0;
      done += lanes;
    }
    if (inside && lane == 0) starts(row) = starts_here ? 1 : 0;
  }

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    constexpr int groups_per_warp = L::size < lanes ? 1 : L::size / lanes;
    int const local = team.team_rank() / lanes;
    mark(static_cast<Ordinal>(team.league_rank()) * (team.team_size() / lanes) + static_cast<Ordinal>(local),
         local % groups_per_warp, team.team_rank() % lanes);
  }
  KOKKOS_FUNCTION void operator()(Ordinal row) const { mark(row, 0, 0); }

 private:
  static constexpr Mask full_group_mask =
      static_cast<Mask>(static_cast<Mask>(~Mask(0)) >> (8 * static_cast<int>(sizeof(Mask)) - lanes));
};

template <int lanes, class Exec, class Matrix, class Starts>
void mark_stripes_by(Exec const& exec, Matrix const& A, Starts const& starts) {
  using Ordinal = typename Matrix::ordinal_type;
  MarkStripes<lanes, Exec, Matrix, Starts> const mark{A, starts};
  if constexpr (is_gpu<Exec>) {
    constexpr int rows_per_team = mark_stripes_team_size / lanes;
    auto const teams = ceil_div(static_cast<std::size_t>(A.num_rows), std::size_t(rows_per_team));
    Kokkos::parallel_for("einkorn::stripes[mark]",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), mark_stripes_team_size), mark);
  } else {
    range_for<Ordinal>("einkorn::stripes[mark]", exec, A.num_rows, mark);
  }
}

/// Marks the first rows of the stripes of A. Reads row_offsets once and columns up to twice, coalesced.
/// Asynchronous on exec; 1 launch.
template <class Exec, class Matrix>
StripeStarts<typename Matrix::device_type> mark_stripes(Exec const& exec, Matrix const& A) {
  using Starts = StripeStarts<typename Matrix::device_type>;
  auto const starts = allocate<Starts>(exec, "einkorn::stripes[starts]", static_cast<std::size_t>(A.num_rows));
  if constexpr (is_gpu<Exec>) {
    double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows > 0 ? A.num_rows : 1);
    if (mean <= 4.0)
      mark_stripes_by<4>(exec, A, starts);
    else if (mean <= 12.0)
      mark_stripes_by<8>(exec, A, starts);
    else
      mark_stripes_by<32>(exec, A, starts);
  } else {
    mark_stripes_by<1>(exec, A, starts);
  }
  return starts;
}

}  // namespace einkorn::detail
