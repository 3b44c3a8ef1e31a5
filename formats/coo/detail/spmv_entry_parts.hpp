// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/coo/coo_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace einkorn::detail {

/// What the parts do with the sum of a row.
enum class CooRows {
  add_without_carry,  ///< y += alpha sum; the part that a row begins in reads on to its end
  add,                ///< y += alpha sum; what other parts have of the row goes to carry
  write               ///< y <- alpha sum + beta y, rows without entry included; carry as above
};

/// Segmented sum over parts of equal length, one a warp (GPU): COO-flat of Bell & Garland, 2008. A warp goes
/// through its part in steps of one entry a lane. While a step belongs to one row as a whole, lanes add up for
/// themselves; in other steps a segmented scan by shuffles gives the first lane of each row its sum, and the
/// sum of the last row is kept open for the next step. Only parts of one row are ever added, nothing is
/// subtracted. A row that goes on from the part before is put into `carry`, which add_carry adds in a fixed
/// order, or, in add_alone, read by the part that it begins in. Departures: steps within one row do without the
/// scan, which ends when the longest piece is summed; rows without entry are written here where gaps are short.
template <CooTuning tuning, CooRows target, int k, class Exec, class Format, class X, class Y, class Sum,
          class Parts, class Carry, class L = Lanes<Exec>>
struct SpmvEntryParts {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  static constexpr int parts_per_team = tuning.team_size / L::size;
  static constexpr int unroll = tuning.unroll;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Parts parts;
  Carry carry;         // [num_parts * k], not read
  std::size_t column;  // the first of the k columns of x and y

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Offset const part = static_cast<Offset>(team.league_rank()) * parts_per_team +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (part < parts.num_parts) sum_part(part, team.team_rank() % L::size);
  }

  /// All lanes of a warp call it together.
  KOKKOS_FUNCTION void sum_part(Offset part, int lane) const {
    Offset const begin = parts.first_entry(part), end = parts.first_entry(part + 1);
    RowSum current{part, parts.row_before(part), {}, 0, false, true};
    if (target == CooRows::add_without_carry && F.rows(end - 1) == current.row)
      return;  // another part reads all of it
    for (int j = 0; j < k; ++j) current.sum[j] = Sum(0);
    constexpr auto steps = std::make_integer_sequence<int, unroll>();
    for (Offset at = begin; at < end; at += static_cast<Offset>(unroll * L::size)) {
      Batch batch;
      load(batch, at + static_cast<Offset>(lane), end);
      add_batch(batch, lane, current, steps);
    }
    if (target == CooRows::add_without_carry) finish_row(end, lane, current);
    Sum total[k];
    reduce_row_sum(current, total);
    if (lane == 0) store_sum(part, current.row, current.is_continued, total);
    if (target == CooRows::write && part + 1 == parts.num_parts)
      for (Ordinal row = current.row + 1 + static_cast<Ordinal>(lane); row < F.num_rows; row += L::size)
        scale_row(row);
  }

 private:
  /// The row that the last step ended with; the same in all lanes but for `sum`.
  struct RowSum {
    Offset part;
    Ordinal row;
    Sum sum[k];           // this lane's share
    int owner_lane;       // the lane that has all of it, unless it is spread
    bool is_distributed;  // whether other lanes have shares too
    bool is_continued;    // whether it is what the part before ended with
  };
  struct Batch {
    Ordinal rows[unroll];
    Sum products[unroll][k];
  };

  /// Entries at, at + L::size, ...: all loads are asked for before the first is used. From limit on: the row of
  /// the entry before it and products 0, so that loads need no predicate.
  KOKKOS_FORCEINLINE_FUNCTION void load(Batch& batch, Offset at, Offset limit) const {
    Ordinal columns[unroll];
    Scalar values[unroll];
    bool inside[unroll];
    for (int u = 0; u < unroll; ++u) {
      Offset const entry_u = at + static_cast<Offset>(u * L::size);
      inside[u] = entry_u < limit;
      Offset const from = inside[u] ? entry_u : limit - 1;
      batch.rows[u] = L::load_streaming(F.rows.data() + from);
      columns[u] = L::load_streaming(F.columns.data() + from);
      values[u] = L::load_streaming(F.values.data() + from);
    }
    for (int j = 0; j < k; ++j) {
      bool const is_column = k == 1 || column + static_cast<std::size_t>(j) < x.extent(1);
      auto const vector = is_column ? column + static_cast<std::size_t>(j) : column;
      for (int u = 0; u < unroll; ++u) batch.products[u][j] = Sum(entry(x, columns[u], vector));
    }
    for (int u = 0; u < unroll; ++u)
      for (int j = 0; j < k; ++j)
        batch.products[u][j] = inside[u] ? Sum(values[u]) * batch.products[u][j] : Sum(0);
  }

  /// The numbers of the steps are constants, which keeps the batch in registers.
  template <int... u>
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Batch& batch, int lane, RowSum& current,
                                             std::integer_sequence<int, u...>) const {
    (add_step(batch.rows[u], batch.products[u], lane, current), ...);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_step(Ordinal row, Sum (&sum)[k], int lane, RowSum& current) const {
    if (L::ballot(row != current.row) == 0) {
      for (int j = 0; j < k; ++j) current.sum[j] += sum[j];
      current.is_distributed = true;
      return;
    }
    Sum before[k];
    reduce_row_sum(current, before);
    Ordinal const neighbour = L::shuffle(row, lane > 0 ? lane - 1 : 0);
    Ordinal const left = lane > 0 ? neighbour : current.row;
    bool const starts = row != left, is_first = starts || lane == 0;  // is_first: of its row in this step
    if (lane == 0) {
      if (starts)
        store_sum(current.part, current.row, current.is_continued, before);
      else
        for (int j = 0; j < k; ++j) sum[j] += before[j];
    }
    auto const firsts = L::ballot(is_first);
    auto const firsts_above = static_cast<typename L::Mask>((firsts >> lane) >> 1);
    int const distance = firsts_above != 0 ? L::lowest(firsts_above) : L::size - 1 - lane;  // to the last lane
    for (int bits = 1; L::ballot(bits <= distance) != 0; bits *= 2)
      for (int j = 0; j < k; ++j) {
        Sum const right = L::shuffle_down(sum[j], bits);
        if (bits <= distance) sum[j] += right;
      }
    if (target == CooRows::write && starts)
      for (Ordinal gap = left + 1; gap < row; ++gap) scale_row(gap);
    bool const is_last = firsts_above == 0;
    if (is_first && !is_last) store_sum(current.part, row, current.is_continued && !starts, sum);
    current.row = L::shuffle(row, L::size - 1);
    current.owner_lane = L::lowest(L::ballot(is_first && is_last));
    for (int j = 0; j < k; ++j) current.sum[j] = lane == current.owner_lane ? sum[j] : Sum(0);
    current.is_distributed = current.is_continued = false;
  }

  /// The open row's sum, in all lanes.
  KOKKOS_FORCEINLINE_FUNCTION void reduce_row_sum(RowSum const& current, Sum (&total)[k]) const {
    for (int j = 0; j < k; ++j)
      total[j] = current.is_distributed ? sum_over_lanes<L, L::size>(current.sum[j])
                                        : L::shuffle(current.sum[j], current.owner_lane);
  }

  /// What the open row has from entry `at` on, unless another part began with it.
  KOKKOS_FORCEINLINE_FUNCTION void finish_row(Offset at, int lane, RowSum& current) const {
    if (current.is_continued) return;
    Offset const nnz = parts.num_entries;
    bool goes_on = at < nnz && F.rows(at) == current.row;
    for (; goes_on; at += static_cast<Offset>(unroll * L::size)) {
      Batch batch;
      load(batch, at + static_cast<Offset>(lane), nnz);
      for (int u = 0; u < unroll; ++u)
        for (int j = 0; j < k; ++j)
          current.sum[j] += batch.rows[u] == current.row ? batch.products[u][j] : Sum(0);
      current.is_distributed = true;
      Offset const next = at + static_cast<Offset>(unroll * L::size);
      goes_on = L::ballot(batch.rows[unroll - 1] != current.row) == 0 && next < nnz;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_sum(Offset part, Ordinal row, bool is_continued,
                                             Sum const (&sum)[k]) const {
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= y.extent(1)) return;
      if (!is_continued) {
        if constexpr (target == CooRows::write)
          epilogue(entry(y, row, vector), sum[j]);
        else
          epilogue.add(entry(y, row, vector), sum[j]);
      } else if constexpr (target != CooRows::add_without_carry) {
        carry(static_cast<Offset>(j) * parts.num_parts + part) = sum[j];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void scale_row(Ordinal row) const {
    for (int j = 0; j < k; ++j)
      if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
        Epilogue<Sum>{Sum(0), epilogue.beta}(entry(y, row, column + static_cast<std::size_t>(j)), Sum(0));
  }
};

}  // namespace einkorn::detail
