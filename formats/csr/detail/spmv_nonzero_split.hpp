// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/bank_padding.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/detail/nonzero_split.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace einkorn::detail {

/// Stores the part of a cut row for take_part(). A part with the bits of no_part, a NaN, is stored as another NaN.
template <class L, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void store_part(std::uint64_t* words, Sum const& part) {
  std::uint64_t raw[words_per_part<Sum>] = {};
  memcpy(static_cast<void*>(raw), static_cast<void const*>(&part), sizeof(Sum));
  for (int i = 0; i < words_per_part<Sum>; ++i)
    L::store_relaxed(words + i, raw[i] == no_part ? no_part - 1 : raw[i]);
}

/// Waits for the part that another team stores, and removes it.
template <class L, class Sum>
KOKKOS_FORCEINLINE_FUNCTION Sum take_part(std::uint64_t* words) {
  std::uint64_t raw[words_per_part<Sum>] = {};
  for (int i = 0; i < words_per_part<Sum>; ++i) {
    do {
      L::load_relaxed(words + i, raw[i]);
    } while (raw[i] == no_part);
    words[i] = no_part;
  }
  Sum part;
  memcpy(static_cast<void*>(&part), static_cast<void const*>(raw), sizeof(Sum));
  return part;
}

/// Equal numbers of entries per thread, in one launch (GPU). Lanes load adjacent columns and values, and form
/// the products; through team scratch each thread gets `entries` consecutive ones and sums them row by row. A
/// segmented scan over the lanes of a warp, and one over its warps, complete the rows that continue in other
/// threads. Parts of a row that continues in other blocks (NonzeroSplit::parts) are added by the block in which
/// the row ends, which waits for them: the blocks that store them are before it, and never wait for later ones.
/// All additions have a fixed order; no atomics. Teams after the blocks write the rows without entries.
///
/// Sources: nonzero splitting, Baxter, Modern GPU, 2013; segmented sums in registers as in CSR5, Liu & Vinter,
/// ICS 2015. Departures: blocks begin at a row where one is near, so that few rows are cut; a second kernel or
/// atomics for cut rows are replaced by waiting, as in the decoupled look-back of Merrill & Garland, 2016.
template <SpmvTuning tuning, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp>
struct SpmvNonzeroSplit {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  using Mask = typename L::Mask;

  static constexpr int entries = tuning.unroll;
  /// Only large matrices need a hint (nonzero_split_shape()); with it kernels of 4 us take 1 % longer.
  static constexpr bool has_hint = entries == max_split_entries(sizeof(Sum));
  static constexpr int warp_slots = bank_padded_index(entries * L::size);
  static constexpr int max_warps = tuning.team_size / L::size;

  /// The beginning of team scratch; the products of the warps follow, warp_slots each.
  struct Scratch {
    Sum tails[max_warps];      // sum of a warp after its last row end
    int ends_rows[max_warps];  // whether a row ends in a warp
  };

  // Pointers, not Views: kernel arguments that are few bytes are read sooner.
  Ordinal const* columns;
  Scalar const* values;
  X x;
  Y y;
  EpilogueOp epilogue;
  EntryBlock<Ordinal, Offset> const* blocks;
  std::uint32_t const* threads;
  Ordinal const* rows;  // null if no row is empty
  Ordinal const* empty_rows;
  std::uint64_t* parts;
  Ordinal num_empty_rows;
  int num_blocks;
  CacheHint<Exec> hint;

  static KOKKOS_FUNCTION std::size_t scratch_bytes(int team_size) {
    auto const warps = static_cast<std::size_t>(team_size / L::size);
    return sizeof(Scratch) + warps * warp_slots * sizeof(Sum) + alignof(Scratch);
  }

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    if (team.league_rank() < num_blocks) [[likely]]
      sum_block(team, team.league_rank(), accumulators);
    else
      write_empty_row(team, accumulators);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_block(Team const& team, int index, Accumulators& accumulators) const {
    auto const rank = static_cast<unsigned>(team.team_rank()), size = static_cast<unsigned>(team.team_size());
    auto const block = blocks[index];
    std::uint32_t const thread =
        L::load(threads + (static_cast<std::size_t>(static_cast<unsigned>(index)) * size + rank));
    int const warp = static_cast<int>(rank / L::size), lane = static_cast<int>(rank % L::size);
    auto* const scratch = static_cast<Scratch*>(team_scratch(team));
    Ordinal own_columns[entries];
    Scalar own_values[entries];
    load_entries(block, warp, lane, own_columns, own_values);
    // The lanes in which a row ends. Here, so that the descriptor is loaded together with the entries, and that
    // x is gathered and the products are stored without a branch between.
    Mask const ends = L::ballot((thread & 0xffffu) != 0);
    Sum products[entries];
    form_products(block, warp, lane, own_columns, own_values, products);
    transpose(reinterpret_cast<Sum*>(scratch + 1) + warp * warp_slots, lane, products);

    Ordinal const first_position = block.first_row + static_cast<Ordinal>(thread >> 16);
    Ordinal position = first_position;
    Sum sum = Sum(0), first = Sum(0);
    for (int j = 0; j < entries; ++j) {
      sum += products[j];
      if (((thread >> j) & 1u) == 0) continue;
      if (position == first_position)
        first = sum;
      else
        finish_row(position, sum, accumulators);
      ++position;
      sum = Sum(0);
    }
    bool const ends_row = position != first_position;
    sum = sum_since_row_end(sum, ~ends & ~Mask(1), lane);
    Sum const before = L::shuffle(sum, lane - 1);
    if (lane > 0) first += before;
    bool const is_first_of_warp = ends_row && (ends & ((Mask(1) << lane) - 1)) == 0;
    if (ends_row && !is_first_of_warp) finish_row(first_position, first, accumulators);
    if (lane == L::size - 1) {
      scratch->tails[warp] = sum;
      scratch->ends_rows[warp] = ends != 0;
    }
    team.team_barrier();

    bool is_complete = false;
    if (block.is_cut_at_end() && rank == 0)
      store_part<L>(parts + static_cast<std::size_t>(index) * words_per_part<Sum>,
                    sum_of_tails(*scratch, static_cast<int>(size / L::size), is_complete));
    is_complete = false;
    if (is_first_of_warp) first += sum_of_tails(*scratch, warp, is_complete);
    if (block.is_cut_at_begin() && L::ballot(is_first_of_warp && !is_complete) != 0)
      first += sum_of_parts(block.run_begin, index, lane);
    if (is_first_of_warp) finish_row(first_position, first, accumulators);
  }

  /// The begin of team scratch; without dot products without a comparison of sizes. With them the partial sums are stored
  /// behind, while other warps may still read the tails.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void* team_scratch(Team const& team) {
    if constexpr (EpilogueOp::accumulates)
      return team.team_scratch(0).get_shmem_aligned(
          static_cast<int>(scratch_bytes(team.team_size()) - alignof(Scratch)), alignof(Scratch));
    else if constexpr (alignof(Scratch) <= 8)  // the alignment of team scratch
      return team.team_scratch(0).get_shmem(0);
    else
      return team.team_scratch(0).get_shmem_aligned(0, alignof(Scratch));
  }

  /// Entries u L::size + lane of the warp; past the end the last one again: loads without predicates are all
  /// issued at once.
  KOKKOS_FORCEINLINE_FUNCTION void load_entries(EntryBlock<Ordinal, Offset> const& block, int warp, int lane,
                                                Ordinal (&own_columns)[entries],
                                                Scalar (&own_values)[entries]) const {
    int const first = warp * (entries * L::size) + lane, last = block.count() - 1;
    for (int u = 0; u < entries; ++u) {
      int const at = first + u * L::size;
      Offset const k = block.begin + static_cast<Offset>(at < last ? at : last);
      own_columns[u] = load_entry(columns + k);
      own_values[u] = load_entry(values + k);
    }
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T load_entry(T const* address) const {
    if constexpr (has_hint)
      return L::load_streaming(address, hint);
    else
      return L::load(address);
  }

  /// The products of these entries; 0 past the end.
  KOKKOS_FORCEINLINE_FUNCTION void form_products(EntryBlock<Ordinal, Offset> const& block, int warp, int lane,
                                                 Ordinal const (&own_columns)[entries],
                                                 Scalar const (&own_values)[entries],
                                                 Sum (&products)[entries]) const {
    int const first = warp * (entries * L::size) + lane, last = block.count() - 1;
    Sum from_x[entries];
    for (int u = 0; u < entries; ++u) from_x[u] = Sum(x(own_columns[u]));
    for (int u = 0; u < entries; ++u) {
      Sum const product = (conjugated ? Sum(conjugate(own_values[u])) : Sum(own_values[u])) * from_x[u];
      products[u] = first + u * L::size <= last ? product : Sum(0);
    }
  }

  /// products[j] <- product `entries` lane + j of the warp.
  KOKKOS_FORCEINLINE_FUNCTION static void transpose(Sum* scratch, int lane, Sum (&products)[entries]) {
    for (int u = 0; u < entries; ++u)
      scratch[bank_padded_index(lane) + u * bank_padded_index(L::size)] = products[u];
    L::sync();
    for (int j = 0; j < entries; ++j) products[j] = scratch[bank_padded_index(lane * entries + j)];
  }

  /// The sum over the lanes after the last one in which a row ends, that one included, up to this lane.
  /// @param adds the lanes that add the value of the lane `distance` before
  template <int distance = 1>
  KOKKOS_FORCEINLINE_FUNCTION static Sum sum_since_row_end(Sum sum, Mask adds, int lane) {
    if constexpr (distance < L::size) {
      if (adds == 0) return sum;
      Sum const other = L::shuffle(sum, lane - distance);
      if (((adds >> lane) & 1) != 0) sum += other;
      return sum_since_row_end<2 * distance>(sum, adds & (adds << distance), lane);
    } else {
      return sum;
    }
  }

  /// The sum of the tails of the warps before `warp`, back to the last one in which a row ends. is_complete:
  /// there is one.
  KOKKOS_FORCEINLINE_FUNCTION static Sum sum_of_tails(Scratch const& scratch, int warp, bool& is_complete) {
    Sum sum = Sum(0);
    while (warp > 0 && !is_complete) {
      --warp;
      sum += scratch.tails[warp];
      is_complete = scratch.ends_rows[warp] != 0;
    }
    return sum;
  }

  /// The sum of the parts of the blocks first .. last - 1. All lanes of the warp call it.
  KOKKOS_FORCEINLINE_FUNCTION Sum sum_of_parts(int first, int last, int lane) const {
    Sum sum = Sum(0);
    for (int b = first + lane; b < last; b += L::size)
      sum += take_part<L, Sum>(parts + static_cast<std::size_t>(b) * words_per_part<Sum>);
    return sum_over_lanes<L, L::size>(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish_row(Ordinal position, Sum const& sum,
                                              Accumulators& accumulators) const {
    Ordinal const row = rows != nullptr ? L::load(rows + position) : position;
    epilogue(accumulators, y(row), row, sum);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_empty_row(Team const& team, Accumulators& accumulators) const {
    auto const i =
        static_cast<std::size_t>(team.league_rank() - num_blocks) * static_cast<std::size_t>(team.team_size()) +
        static_cast<std::size_t>(team.team_rank());
    if (i >= static_cast<std::size_t>(num_empty_rows)) return;
    Ordinal const row = empty_rows[i];
    epilogue(accumulators, y(row), row, Sum(0));
  }
};

template <SpmvTuning tuning, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp,
          class Split>
void launch_nonzero_split(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                          Split const& split) {
  using Functor = SpmvNonzeroSplit<tuning, conjugated, Exec, Matrix, X, Y, EpilogueOp>;
  using Ordinal = typename Matrix::ordinal_type;
  int const team_size = split.shape.team_size;
  auto const num_empty = split.empty_rows.extent(0);
  auto const empty_teams = ceil_div(num_empty, static_cast<std::size_t>(team_size));
  auto policy = typename Functor::Policy(exec, split.num_blocks + static_cast<int>(empty_teams), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(team_size))));
  epilogue.launch("einkorn::spmv[csr,nonzero_split]", policy,
                  Functor{A.columns.data(), A.values.data(), x, y, epilogue, split.blocks.data(),
                          split.threads.data(), split.rows.data(), split.empty_rows.data(), split.parts.data(),
                          static_cast<Ordinal>(num_empty), split.num_blocks, cache_hint(exec, A, x, y)});
}

/// y <- alpha A x + beta y. @pre nnz > 0. 1 launch.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Split>
void spmv_nonzero_split(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                        Split const& split) {
  using Sum = typename EpilogueOp::sum_type;
  constexpr auto tuning = [](int entries) {
    return nonzero_split_tuning(arch_of<Exec>, entries, sizeof(Sum), EpilogueOp::accumulates);
  };
  if (split.shape.entries == 2)
    return launch_nonzero_split<tuning(2), conjugated>(exec, epilogue, A, x, y, split);
  if constexpr (has_few_registers_tuning(arch_of<Exec>, sizeof(Sum), EpilogueOp::accumulates))
    if (split.shape.wants_few_registers)
      return launch_nonzero_split<few_registers_tuning, conjugated>(exec, epilogue, A, x, y, split);
  if constexpr (max_split_entries(sizeof(Sum)) >= 8)
    if (split.shape.entries == 8)
      return launch_nonzero_split<tuning(8), conjugated>(exec, epilogue, A, x, y, split);
  launch_nonzero_split<tuning(4), conjugated>(exec, epilogue, A, x, y, split);
}

}  // namespace einkorn::detail
