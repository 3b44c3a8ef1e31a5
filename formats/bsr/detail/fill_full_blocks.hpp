// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/search_by_warp.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// GPU: F.values <- A.values if every value of every block is an entry of A and the rows of A are sorted. The entries of
/// the rows of a block row, which are contiguous in A, are permuted. A warp writes values_per_warp adjacent values.
/// with_columns: also columns <- the block columns, from the first entries of the blocks; otherwise A.columns is not read.
template <int b, bool with_columns, class Exec, class Format, class Matrix>
struct FillFullBlocks {
  using L = Lanes<Exec>;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256, batch = 4, values_per_warp = 2 * batch * L::size;
  static constexpr Offset entries = b * b;

  Format F;
  Matrix A;
  Kokkos::View<Ordinal*, typename Format::device_type> columns;  // with_columns: those of F

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank() % L::size;
    std::int64_t const warp =
        static_cast<std::int64_t>(team.league_rank()) * (team_size / L::size) + team.team_rank() / L::size;
    auto const size = static_cast<std::int64_t>(F.values.extent(0)), first = warp * values_per_warp;
    if (first >= size) return;
    std::int64_t const last = first + values_per_warp < size ? first + values_per_warp : size;
    BlockRow row{};
    row.number = row_of_entry_by_warp<L>(F.row_offsets, Ordinal(0), F.num_block_rows,
                                         static_cast<Offset>(first) / entries, lane);
    load(row);
    for (std::int64_t next = first + lane; next < last; next += batch * L::size) {
      Scalar values[batch];
      for (int u = 0; u < batch; ++u)
        if (next + u * L::size < last) values[u] = value_of(next + u * L::size, row);
      for (int u = 0; u < batch; ++u)
        if (next + u * L::size < last) F.values(static_cast<Offset>(next + u * L::size)) = values[u];
    }
  }

 private:
  struct BlockRow {
    Ordinal number;
    Offset begin, end, width;  // of its values; entries per row
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(BlockRow& row) const {
    row.begin = F.row_offsets(row.number) * entries;
    row.end = F.row_offsets(row.number + 1) * entries;
    row.width = (row.end - row.begin) / Offset(b);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar value_of(std::int64_t value, BlockRow& row) const {
    Offset const entry = entry_of(value, row);
    if constexpr (with_columns) {
      Offset const block = static_cast<Offset>(value) / entries;
      if (static_cast<Offset>(value) == block * entries) columns(block) = A.columns(entry) / Ordinal(b);
    }
    return static_cast<Scalar>(A.values(entry));
  }

  /// The entry of A of a value; `row` is the block row of the value or one before it.
  KOKKOS_FORCEINLINE_FUNCTION Offset entry_of(std::int64_t value, BlockRow& row) const {
    auto const at = static_cast<Offset>(value);
    while (at >= row.end) {
      ++row.number;
      load(row);
    }
    Offset const in_row = at - row.begin, block = in_row / entries, in_block = in_row - block * entries;
    Offset const i = in_block / Offset(b), j = in_block - i * Offset(b);
    return row.begin + i * row.width + block * Offset(b) + j;
  }
};

/// 1 launch, asynchronous on exec.
template <int b, bool with_columns, class Exec, class Format, class Matrix, class Columns>
void launch_full_blocks(Exec const& exec, char const* label, Format const& F, Matrix const& A,
                        Columns const& columns) {
  using Functor = FillFullBlocks<b, with_columns, Exec, Format, Matrix>;
  constexpr std::int64_t per_team = Functor::team_size / Functor::L::size * Functor::values_per_warp;
  auto const teams = ceil_div(static_cast<std::int64_t>(F.values.extent(0)), per_team);
  if (teams == 0) return;
  Kokkos::parallel_for(
      label, light_weight(Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), Functor::team_size)),
      Functor{F, A, columns});
}

/// FillFullBlocks. 1 launch, asynchronous on exec.
/// @param columns  with_columns: receives the block columns
/// @pre is_known_block_size(F.block_size)
template <bool with_columns, class Exec, class Format, class Matrix,
          class Columns = Kokkos::View<typename Format::ordinal_type*, typename Format::device_type>>
void fill_full_blocks(Exec const& exec, char const* label, Format const& F, Matrix const& A,
                      Columns const& columns = {}) {
  with_block_size(F.block_size, [&]<int b>(std::integral_constant<int, b>) {
    if constexpr (b > 0) launch_full_blocks<b, with_columns>(exec, label, F, A, columns);
  });
}

}  // namespace einkorn::detail
