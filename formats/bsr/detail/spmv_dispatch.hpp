// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/team_launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/spmv_block_chunks.hpp>
#include <einkorn/formats/bsr/detail/spmv_block_lanes.hpp>
#include <einkorn/formats/bsr/detail/spmv_block_rows_host.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

template <class Y, int k>
std::size_t column_tiles(Y const& y) {
  return Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), std::size_t(k));
}

template <int b, int lanes, class Exec, class Format, class X, class Y, class Sum>
void spmv_block_lanes(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                      Y const& y) {
  constexpr int columns_at_once = bsr_tuning(arch_of<Exec>, lanes, sizeof(Sum), 1).columns_at_once;
  constexpr int k = Y::rank() == 1 ? 1 : columns_at_once;
  constexpr BsrTuning tuning = bsr_tuning(arch_of<Exec>, lanes, sizeof(Sum), k);
  using Functor = SpmvBlockLanes<tuning, b, lanes, k, Exec, Format, X, Y, Sum>;
  auto const teams_of = [&](int passes) {
    return ceil_div(static_cast<std::size_t>(F.num_block_rows),
                    static_cast<std::size_t>(Functor::groups * passes));
  };
  int passes = block_rows_per_group(b);
  if (teams_of(passes) < std::size_t(min_block_row_teams)) passes = 1;
  auto const row_teams = teams_of(passes);
  auto const league = row_teams * column_tiles<Y, k>(y);
  launch_teams("einkorn::spmv[bsr]",
               light_weight(typename Functor::Policy(exec, static_cast<int>(league), tuning.team_size)),
               Functor{F, x, y, epilogue, static_cast<int>(row_teams), passes, cache_hint(exec, F, x, y)});
}

template <class Exec, class Format, class X, class Y, class Sum>
void spmv_block_chunks(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                       Y const& y) {
  constexpr int columns_at_once = bsr_tuning(arch_of<Exec>, 32, sizeof(Sum), 1).columns_at_once;
  constexpr int k = Y::rank() == 1 ? 1 : columns_at_once;
  constexpr BsrTuning tuning = bsr_tuning(arch_of<Exec>, 32, sizeof(Sum), k);
  using Functor = SpmvBlockChunks<tuning, k, Exec, Format, X, Y, Sum>;
  auto const chunks = static_cast<std::size_t>(F.num_block_rows) *
                      static_cast<std::size_t>(Functor::chunks_per_block_row(F.block_size));
  auto const chunk_teams = ceil_div(chunks, std::size_t(Functor::chunks_per_team));
  auto const league = chunk_teams * column_tiles<Y, k>(y);
  launch_teams("einkorn::spmv[bsr]",
               light_weight(typename Functor::Policy(exec, static_cast<int>(league), tuning.team_size)),
               Functor{F, x, y, epilogue, static_cast<int>(chunk_teams), cache_hint(exec, F, x, y)});
}

/// Selects the number of lanes by the mean number of blocks per block row.
template <int b, class Exec, class Format, class X, class Y, class Sum>
void spmv_block_lanes(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                      Y const& y) {
  double const mean = static_cast<double>(F.num_blocks()) / static_cast<double>(F.num_block_rows);
  int const lanes = lanes_for_block_row<b>(arch_of<Exec>, sizeof(Sum), mean);
  if constexpr (b <= 2)
    if (lanes == 8) return spmv_block_lanes<b, 8>(exec, epilogue, F, x, y);
  if constexpr (b >= 2 && b <= 4)
    if (lanes == 16) return spmv_block_lanes<b, 16>(exec, epilogue, F, x, y);
  spmv_block_lanes<b, 32>(exec, epilogue, F, x, y);
}

/// y <- alpha A x + beta y for an A with at least one block. 1 launch.
template <class Exec, class Format, class X, class Y, class Sum>
void spmv_blocks(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x, Y const& y) {
  with_block_size(F.block_size, [&]<int b>(std::integral_constant<int, b>) {
    if constexpr (is_gpu<Exec>) {
      if constexpr (b == 0)
        spmv_block_chunks(exec, epilogue, F, x, y);
      else
        spmv_block_lanes<b>(exec, epilogue, F, x, y);
    } else {
      using Ordinal = typename Format::ordinal_type;
      auto const parts = static_cast<Ordinal>(host_parts(exec));
      for_each_part(exec, "einkorn::spmv[bsr]", static_cast<std::int64_t>(parts),
                    SpmvBlockRowsHost<b, Format, X, Y, Sum>{F, x, y, epilogue, parts});
    }
  });
}

}  // namespace einkorn::detail
