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

/// How the parts apply the sum of a row.
enum class CooRows {
  add_without_carry,  ///< y += alpha sum; the part in which a row begins reads the row to its end
  add,                ///< y += alpha sum; other parts store their sum of the row in carry
  write               ///< y <- alpha sum + beta y, empty rows included; carry as for add
};

/// Segmented sum over parts of equal length, one per warp (GPU).
///
/// A warp computes its part in steps of one entry per lane. If all entries of a step belong to the current row,
/// each lane adds to its own sum. Otherwise a segmented scan by shuffles computes the sum of each row in the
/// row's first lane, and the last row of the step becomes the current row. Only entries of one row are added;
/// no prefix sums are subtracted. The sum of a row that began in an earlier part is stored in `carry`, which
/// add_carry adds in a fixed order; with add_without_carry the part in which the row begins reads all of it.
/// Source: COO-flat of Bell & Garland, 2008; departures: steps within one row need no scan; the scan stops when
/// the longest piece is summed; empty rows are written here if gaps are short.
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
  Carry carry;         // [num_parts * k], write-only
  std::size_t column;  // the first of the k columns of x and y
  typename L::CacheHint hint;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    Offset const part = static_cast<Offset>(team.league_rank()) * parts_per_team +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (part < parts.num_parts) sum_part(part, team.team_rank() % L::size);
  }

  /// @pre All lanes of the warp call it together.
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
  /// The current row, with which the last step ended; uniform within the warp except for `sum`.
  struct RowSum {
    Offset part;
    Ordinal row;
    Sum sum[k];           // partial sum of this lane
    int owner_lane;       // lane with the whole sum unless is_distributed
    bool is_distributed;  // several lanes have partial sums
    bool is_continued;    // the row began in an earlier part
  };
  struct Batch {
    Ordinal rows[unroll];
    Sum products[unroll][k];
  };

  /// Loads entries at, at + L::size, ..., all before the first is used. Entries from limit on are replaced by
  /// entry limit - 1 with product 0, so that no load is predicated.
  KOKKOS_FORCEINLINE_FUNCTION void load(Batch& batch, Offset at, Offset limit) const {
    Ordinal columns[unroll];
    Scalar values[unroll];
    bool inside[unroll];
    for (int u = 0; u < unroll; ++u) {
      Offset const entry_u = at + static_cast<Offset>(u * L::size);
      inside[u] = entry_u < limit;
      Offset const from = inside[u] ? entry_u : limit - 1;
      batch.rows[u] = L::load_streaming(F.rows.data() + from, hint);
      columns[u] = L::load_streaming(F.columns.data() + from, hint);
      values[u] = L::load_streaming(F.values.data() + from, hint);
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

  /// Step indices are constants, which keeps the batch in registers.
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
    Ordinal const shuffled = L::shuffle(row, lane > 0 ? lane - 1 : 0);
    Ordinal const left_row = lane > 0 ? shuffled : current.row;
    bool const starts = row != left_row, is_first = starts || lane == 0;  // is_first: of its row in this step
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
      for (Ordinal gap = left_row + 1; gap < row; ++gap) scale_row(gap);
    bool const is_last = firsts_above == 0;
    if (is_first && !is_last) store_sum(current.part, row, current.is_continued && !starts, sum);
    current.row = L::shuffle(row, L::size - 1);
    current.owner_lane = L::lowest(L::ballot(is_first && is_last));
    for (int j = 0; j < k; ++j) current.sum[j] = lane == current.owner_lane ? sum[j] : Sum(0);
    current.is_distributed = current.is_continued = false;
  }

  /// Computes the sum of the current row in all lanes.
  KOKKOS_FORCEINLINE_FUNCTION void reduce_row_sum(RowSum const& current, Sum (&total)[k]) const {
    for (int j = 0; j < k; ++j)
      total[j] = current.is_distributed ? sum_over_lanes<L, L::size>(current.sum[j])
                                        : L::shuffle(current.sum[j], current.owner_lane);
  }

  /// Adds the entries of the current row from entry `at` on, unless the row began in an earlier part.
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
