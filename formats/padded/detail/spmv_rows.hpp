// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/column_codes/detail/column_readers.hpp>
#include <einkorn/formats/padded/tuning.hpp>
#include <einkorn/formats/spmm/detail/host_rows.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

// Padded rows: the interface of ELL and SELL that these kernels use.
//
//   slot_begin(position) + j * slot_stride()   slot j of a position, in columns and values
//   slot_count(position)                       slots of the position
//   column(position, at)                       column of slot `at`; -1 is padding
//   row_at(position)                           row stored at the position
//   slot_alignment()                           aligned groups of this many positions have equal counts and
//                                              strides, and contiguous slots
//   slots_before(position)                     only if counts differ: slots of the positions before this one,
//                                              non-decreasing; used for load balance on the host
//   with_columns(position, body)               only if columns may be compressed: body(column reader)

/// One thread per row (GPU).
///
/// A thread loads `unroll` slots before it uses the first. The remaining slots of a row form one more batch, in
/// which the last slot replaces the missing ones and is added once, so that no load is predicated. Padding
/// reads x(0) and adds nothing for any value of x(0). A thread computes k columns of a multivector. Source:
/// Bell & Garland, 2008, section 4.2; Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014.
template <Indices indices, PaddedTuning tuning, int k, class Exec, class Format, class X, class Y,
          class EpilogueOp>
struct SpmvPaddedRows {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;
  int row_teams;  // teams per pass over the rows
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    int const column_tile = Y::rank() == 1 ? 0 : team.league_rank() / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    Ordinal const position =
        static_cast<Ordinal>(team.league_rank() - column_tile * row_teams) * tuning.team_size +
        static_cast<Ordinal>(team.team_rank());
    if (position >= F.num_rows || position < 0) return;
    Ordinal const row = F.row_at(position);
    auto const prefetched = epilogue.prefetch(row);
    Sum sum[k];
    for (int j = 0; j < k; ++j) sum[j] = Sum(0);
    if constexpr (indices == Indices::full)
      add_row(position, FullColumns<Ordinal, Offset>{F.columns.data(), 0}, column, sum);
    else
      F.with_columns(position, [&](auto const& columns) { add_row(position, columns, column, sum); });
    for (int j = 0; j < k; ++j)
      if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
        epilogue(accumulators, entry(y, row, column + static_cast<std::size_t>(j)), row, sum[j], prefetched);
  }

 private:
  template <class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Ordinal position, Columns const& columns, std::size_t column,
                                           Sum (&sum)[k]) const {
    Offset const stride = F.slot_stride();
    Offset at = F.slot_begin(position), left = F.slot_count(position);
    for (; left >= static_cast<Offset>(tuning.unroll); left -= tuning.unroll) {
      add_slots<true>(columns, at, stride, left, column, sum);
      at += stride * static_cast<Offset>(tuning.unroll);
    }
    if (left > 0) add_slots<false>(columns, at, stride, left, column, sum);
  }
  template <bool is_whole, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void add_slots(Columns const& columns, Offset at, Offset stride, Offset left,
                                             std::size_t column, Sum (&sum)[k]) const {
    typename Columns::Raw raw[tuning.unroll];
    Scalar values[tuning.unroll];
    for (int u = 0; u < tuning.unroll; ++u) {
      bool const is_slot = is_whole || static_cast<Offset>(u) < left;
      Offset const from = at + (is_slot ? static_cast<Offset>(u) : left - 1) * stride;
      raw[u] = columns.template raw<L>(from, hint);
      values[u] = L::load_streaming(F.values.data() + from, hint);
      if (!is_slot) raw[u] = Columns::padding;
    }
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum x_values[tuning.unroll];
      for (int u = 0; u < tuning.unroll; ++u)
        x_values[u] = Sum(entry(x, Columns::is_padding(raw[u]) ? Ordinal(0) : columns.column(raw[u]), vector));
      for (int u = 0; u < tuning.unroll; ++u)
        sum[j] += Columns::is_padding(raw[u]) ? Sum(0) : Sum(values[u]) * x_values[u];
    }
  }
};

/// A row without its padding, for rows_times_matrix().
template <class Format, class Columns>
struct PaddedRow {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format const& F;
  Columns const& columns;
  DecodedColumns<Ordinal, Offset>& decoded;
  Offset first, num_entries;
  Ordinal number;

  [[nodiscard]] Offset at(Offset j) const { return first + j * F.slot_stride(); }
  [[nodiscard]] Offset length() const { return num_entries; }
  [[nodiscard]] Ordinal column(Offset j) const { return *columns.template columns_of<1>(at(j), decoded); }
  [[nodiscard]] auto value(int, Offset j) const { return F.values(at(j)); }
  [[nodiscard]] Ordinal row(int) const { return number; }
};

/// One SIMD lane per row, in groups of W adjacent rows (host). The slots of a group are contiguous: a group
/// does not cross a slice.
template <Indices indices, int W, class Format, class X, class Y, class EpilogueOp>
struct SpmvPaddedRowsHost {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  /// Minimum columns of a row-major multivector for SIMD lanes over the columns.
  static constexpr std::size_t min_columns = 4;

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;
  Ordinal num_groups, num_parts;

  void run(Ordinal part, Accumulators& accumulators) const {
    Ordinal const first = first_group(part), last = first_group(part + 1);
    if constexpr (Y::rank() == 1) {
      for (Ordinal group = first; group < last; ++group) spmv_group(group * W, x, y, accumulators);
    } else {
      if constexpr (may_be_row_major<X, Y>)
        if (y.extent(1) >= min_columns && is_row_major(x) && is_row_major(y)) {
          for (Ordinal group = first; group < last; ++group) spmm_group(group * W);
          return;
        }
      for (Ordinal group = first; group < last; ++group)
        for (std::size_t j = 0; j < y.extent(1); ++j)
          spmv_group(group * W, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j),
                     accumulators);
    }
  }

 private:
  /// Parts have equal numbers of groups or, if slot counts differ, equal numbers of slots plus rows.
  [[nodiscard]] KOKKOS_FUNCTION Ordinal first_group(Ordinal part) const {
    if constexpr (requires { F.slots_before(part); }) {
      if (part == num_parts) return num_groups;
      auto const steps = static_cast<std::int64_t>(F.values.extent(0)) + static_cast<std::int64_t>(F.num_rows);
      std::int64_t const target = steps / num_parts * part + steps % num_parts * part / num_parts;
      auto const steps_before = [this](Ordinal group) {
        Ordinal const position = group * W;
        return static_cast<std::int64_t>(F.slots_before(position)) + static_cast<std::int64_t>(position);
      };
      return lower_bound_index(steps_before, Ordinal(0), num_groups, target);
    } else {
      return num_groups / num_parts * part + num_groups % num_parts * part / num_parts;
    }
  }
  template <class Body>
  void with_columns(Ordinal position, Body const& body) const {
    if constexpr (indices == Indices::full)
      body(FullColumns<Ordinal, Offset>{F.columns.data(), 0});
    else
      F.with_columns(position, body);
  }
  template <class From, class To>
  void spmv_group(Ordinal position, From const& from, To const& to, Accumulators& accumulators) const {
    with_columns(position, [&](auto const& columns) { spmv_group(position, columns, from, to, accumulators); });
  }
  template <class Columns, class From, class To>
  void spmv_group(Ordinal position, Columns const& columns, From const& from, To const& to,
                  Accumulators& accumulators) const {
    DecodedColumns<Ordinal, Offset> decoded;
    Offset const stride = F.slot_stride(), count = F.slot_count(position);
    Offset at = F.slot_begin(position);
    auto const x_or_zero = [&from](Ordinal column) { return column < 0 ? Sum(0) : Sum(from(column)); };
    auto sum = Simd<Sum, W>::zero();
    for (Offset j = 0; j < count; ++j, at += stride)
      sum.add_product(Simd<Sum, W>::load(F.values.data() + at),
                      Simd<Sum, W>::gather(x_or_zero, columns.template columns_of<W>(at, decoded)));
    Sum sums[W];
    sum.store(sums);
    for (Ordinal i = 0; i < rows_of_group(position); ++i) {
      Ordinal const row = F.row_at(position + i);
      epilogue(accumulators, to(row), row, sums[i]);
    }
  }
  [[nodiscard]] Ordinal rows_of_group(Ordinal position) const {
    return F.num_rows - position < W ? F.num_rows - position : Ordinal(W);
  }

  void spmm_group(Ordinal group) const {
    with_columns(group, [&]<class Columns>(Columns const& columns) {
      DecodedColumns<Ordinal, Offset> decoded;
      for (Ordinal position = group; position < group + rows_of_group(group); ++position) {
        PaddedRow<Format, Columns> row{
            F, columns, decoded, F.slot_begin(position), F.slot_count(position), F.row_at(position)};
        while (row.num_entries > 0 && row.column(row.num_entries - 1) < 0) --row.num_entries;
        rows_times_matrix<1>(row, x, y, epilogue);
      }
    });
  }
};

/// 1 launch (GPU).
template <Indices indices, PaddedTuning tuning, class Exec, class Format, class X, class Y, class EpilogueOp>
void launch_padded_rows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                        X const& x, Y const& y) {
  constexpr int k = Y::rank() == 1 ? 1 : tuning.columns_at_once;
  using Functor = SpmvPaddedRows<indices, tuning, k, Exec, Format, X, Y, EpilogueOp>;
  auto const row_teams =
      ceil_div(static_cast<std::size_t>(F.num_rows), static_cast<std::size_t>(tuning.team_size));
  auto const tiles = Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), k);
  epilogue.launch(label, typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size),
                  Functor{F, x, y, epilogue, static_cast<int>(row_teams), cache_hint(exec, F, x, y)});
}

/// y <- alpha A x + beta y for padded rows. 1 launch; for row-major multivectors see spmm_row_tile().
template <Indices indices = Indices::full, class Exec, class Format, class X, class Y, class EpilogueOp>
void spmv_padded_rows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                      X const& x, Y const& y) {
  if constexpr (indices == Indices::full && requires { F.compressed; })
    if (F.compressed.any()) return spmv_padded_rows<Indices::compressed>(exec, label, epilogue, F, x, y);
  using Ordinal = typename Format::ordinal_type;
  using Sum = typename EpilogueOp::sum_type;
  if constexpr (is_gpu<Exec>) {
    if constexpr (Y::rank() == 2 && indices == Indices::full && may_be_row_major<X, Y>) {
      if (takes_row_tile(x, y))
        return spmm_row_tile<false>(exec, label, epilogue, StridedPaddedRows<Format>{F}, x, y);
    }
    constexpr Arch arch = arch_of<Exec>;
    if constexpr (indices == Indices::full && Y::rank() == 1 && arch == Arch::hopper)
      if (takes_cached_padded_tuning(F.values.extent(0), static_cast<std::size_t>(F.num_rows)))
        return launch_padded_rows<indices, cached_padded_tuning(sizeof(Sum))>(exec, label, epilogue, F, x, y);
    launch_padded_rows<indices, padded_tuning(arch, sizeof(Sum))>(exec, label, epilogue, F, x, y);
  } else {
    auto const launch_groups = [&]<int W>(std::integral_constant<int, W>) {
      Ordinal const groups = F.num_rows / W + (F.num_rows % W != 0);
      auto const parts = static_cast<Ordinal>(host_parts(exec));
      epilogue.launch_parts(
          exec, label, parts,
          SpmvPaddedRowsHost<indices, W, Format, X, Y, EpilogueOp>{F, x, y, epilogue, groups, parts});
    };
    constexpr int lanes = padded_lanes<Exec, Sum>;
    if (F.slot_alignment() % lanes == 0)
      launch_groups(std::integral_constant<int, lanes>());
    else
      launch_groups(std::integral_constant<int, 1>());
  }
}

}  // namespace einkorn::detail
