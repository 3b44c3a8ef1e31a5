// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr5/csr5.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace einkorn::detail {

enum class Direction { to_tiles, from_tiles };

/// Moves an array between CSR order and the order of the tiles. A team takes whole tiles, reads them in the
/// order in which they lie, turns them in team scratch and writes them in the order in which they shall lie, so
/// that both sides coalesce on a GPU; on the host a team is a thread that turns one tile at a time in cache.
template <class Exec, Direction direction, class To, class From>
struct TransposeTiles {
  using T = typename To::non_const_value_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  To to;
  From from;
  Csr5Shape shape;
  std::size_t num_tiles, num_entries;
  int tiles_a_team;

  /// One slot in 17 stays empty, so that a stride of sigma = 16 does not meet one bank again and again.
  static KOKKOS_FORCEINLINE_FUNCTION int slot(int k) { return k + (k >> 4); }
  static KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(int entries) {
    return (static_cast<std::size_t>(entries) * 17 / 16 + 1) * sizeof(T);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const tile_size = shape.lanes * shape.sigma;
    auto const first_tile =
        static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tiles_a_team);
    if (first_tile >= num_tiles) return copy_tail(team);
    auto const tiles = num_tiles - first_tile < static_cast<std::size_t>(tiles_a_team)
                           ? static_cast<int>(num_tiles - first_tile)
                           : tiles_a_team;
    auto const base = first_tile * static_cast<std::size_t>(tile_size);
    auto* const turned = static_cast<T*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(tiles_a_team * tile_size), alignof(T)));
    auto const entries = Kokkos::TeamThreadRange(team, tiles * tile_size);
    // k counts in CSR order within the team's tiles; position_of(k) in the order of the tiles
    if constexpr (direction == Direction::to_tiles)
      Kokkos::parallel_for(entries, [&](int k) { turned[slot(k)] = from(base + static_cast<std::size_t>(k)); });
    else
      Kokkos::parallel_for(
          entries, [&](int p) { turned[slot(entry_at(p))] = from(base + static_cast<std::size_t>(p)); });
    team.team_barrier();
    if constexpr (direction == Direction::to_tiles)
      Kokkos::parallel_for(entries,
                           [&](int p) { to(base + static_cast<std::size_t>(p)) = turned[slot(entry_at(p))]; });
    else
      Kokkos::parallel_for(entries, [&](int k) { to(base + static_cast<std::size_t>(k)) = turned[slot(k)]; });
  }

 private:
  /// The CSR entry whose place is p.
  KOKKOS_FORCEINLINE_FUNCTION int entry_at(int p) const {
    int const tile_size = shape.lanes * shape.sigma, in_tile = p % tile_size;
    return p - in_tile + in_tile % shape.lanes * shape.sigma + in_tile / shape.lanes;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_tail(Member const& team) const {
    auto const begin = num_tiles * static_cast<std::size_t>(shape.lanes * shape.sigma);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(num_entries - begin)), [&](int k) {
      to(begin + static_cast<std::size_t>(k)) = from(begin + static_cast<std::size_t>(k));
    });
  }
};

/// One array. Asynchronous on exec; 1 launch.
template <Direction direction, class Exec, class Format, class To, class From>
void move_array(Exec const& exec, std::string const& label, Format const& F, To const& to, From const& from) {
  using Functor = TransposeTiles<Exec, direction, To, From>;
  constexpr int most_bytes = 32 * 1024;
  int const tile_size = F.shape.lanes * F.shape.sigma;
  int const fit = most_bytes / (tile_size * static_cast<int>(sizeof(typename Functor::T)));
  int const tiles_a_team = is_gpu<Exec> ? std::clamp(fit, 1, 8) : 1;
  auto const num_tiles = static_cast<std::size_t>(F.num_tiles);
  auto const teams =
      (num_tiles + static_cast<std::size_t>(tiles_a_team) - 1) / static_cast<std::size_t>(tiles_a_team);
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams) + 1, is_gpu<Exec> ? 256 : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(tiles_a_team * tile_size) +
                                                              alignof(std::max_align_t))));
  Kokkos::parallel_for(label, light_weight(policy),
                       Functor{to, from, F.shape, num_tiles, static_cast<std::size_t>(F.nnz()), tiles_a_team});
}

template <class Exec, class Format, class Matrix>
void transpose_tiles(Exec const& exec, Format& F, Matrix const& A) {
  auto const nnz = static_cast<std::size_t>(A.nnz());
  F.columns = allocate<decltype(F.columns)>(exec, "einkorn::Csr5::columns", nnz);
  F.values = allocate<decltype(F.values)>(exec, "einkorn::Csr5::values", nnz);
  move_array<Direction::to_tiles>(exec, "einkorn::from_csr[csr5,columns]", F, F.columns, A.columns);
  move_array<Direction::to_tiles>(exec, "einkorn::from_csr[csr5,values]", F, F.values, A.values);
}

/// Whether A has the rows and columns that F was made from. Fences exec.
template <class Exec, class Format, class Matrix>
bool same_structure(Exec const& exec, Format const& F, Matrix const& A) {
  using Offset = typename Format::offset_type;
  Offset differences = 0;
  auto const ours = F.row_offsets, theirs = A.row_offsets;
  if (ours.data() != theirs.data())
    Kokkos::parallel_reduce(
        "einkorn::same_structure[rows]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, ours.extent(0)),
        KOKKOS_LAMBDA(std::size_t i, Offset & count) { count += ours(i) != theirs(i) ? 1 : 0; }, differences);
  if (differences > 0) return false;
  auto const their_columns = A.columns;
  Kokkos::parallel_reduce(
      "einkorn::same_structure[columns]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>(exec, 0, F.nnz()),
      KOKKOS_LAMBDA(Offset k, Offset & count) {
        count += F.columns(F.position(k)) != their_columns(k) ? 1 : 0;
      },
      differences);
  return differences == 0;
}

}  // namespace einkorn::detail
