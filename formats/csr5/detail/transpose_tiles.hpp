// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/bank_padding.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr5/csr5.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn::detail {

enum class Direction { to_tiles, from_tiles };

/// Copies an array, or the values of a function of the index, between CSR order and the order of the tiles
/// (GPU). A team reads whole tiles, transposes them in team scratch and writes them, so that reads and writes
/// are coalesced.
template <class Exec, Direction direction, class To, class From>
struct TransposeTiles {
  using T = typename To::non_const_value_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  To to;
  From from;
  Csr5Shape shape;
  std::size_t num_tiles, num_entries;
  int tiles_per_team, lane_bits;

  static KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(int entries) {
    return (static_cast<std::size_t>(entries) * 17 / 16 + 1) * sizeof(T);
  }

  static constexpr int team_size = 256, batch = 4;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const tile_size = shape.lanes * shape.sigma;
    auto const first_tile =
        static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tiles_per_team);
    if (first_tile >= num_tiles) return copy_tail(team);
    auto const tiles = num_tiles - first_tile < static_cast<std::size_t>(tiles_per_team)
                           ? static_cast<int>(num_tiles - first_tile)
                           : tiles_per_team;
    auto const base = first_tile * static_cast<std::size_t>(tile_size);
    auto* const staged = static_cast<T*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes(tiles_per_team * tile_size), alignof(T)));
    int const thread = team.team_rank(), count = tiles * tile_size;
    auto const in_scratch = [&](int k) -> T& { return staged[bank_padded_index(k)]; };
    if constexpr (direction == Direction::to_tiles) {
      copy_batched<batch>(
          team, count, [&](int k) { return T(from(base + static_cast<std::size_t>(k))); },
          [&](int k, T const& value) { in_scratch(k) = value; });
      team.team_barrier();
      copy_tiles(
          count, thread, [&](int, int k) { return in_scratch(k); },
          [&](int p, int, T const& value) { to(base + static_cast<std::size_t>(p)) = value; });
    } else {
      copy_tiles(
          count, thread, [&](int p, int) { return T(from(base + static_cast<std::size_t>(p))); },
          [&](int, int k, T const& value) { in_scratch(k) = value; });
      team.team_barrier();
      copy_batched<batch>(
          team, count, [&](int k) { return in_scratch(k); },
          [&](int k, T const& value) { to(base + static_cast<std::size_t>(k)) = value; });
    }
  }

 private:
  /// copy_batched() with put(p, k, get(p, k)), where p is the position of CSR entry k, both relative to the first tile.
  template <class Get, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void copy_tiles(int count, int thread, Get const& get, Put const& put) const {
    int const lane = thread & (shape.lanes - 1), step = team_size >> lane_bits;
    int first = lane * shape.sigma, j = thread >> lane_bits;  // entry k is first + j
    auto const advance = [&] {
      for (j += step; j >= shape.sigma; j -= shape.sigma) first += shape.sigma << lane_bits;
    };
    while (j >= shape.sigma) {
      j -= shape.sigma;
      first += shape.sigma << lane_bits;
    }
    int p = thread;
    for (; p + (batch - 1) * team_size < count; p += batch * team_size) {
      T values[batch];
      int k[batch];
      for (int u = 0; u < batch; ++u, advance()) {
        k[u] = first + j;
        values[u] = get(p + u * team_size, k[u]);
      }
      for (int u = 0; u < batch; ++u) put(p + u * team_size, k[u], values[u]);
    }
    for (; p < count; p += team_size, advance()) put(p, first + j, get(p, first + j));
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_tail(Member const& team) const {
    auto const begin = num_tiles * static_cast<std::size_t>(shape.lanes * shape.sigma);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(num_entries - begin)), [&](int k) {
      to(begin + static_cast<std::size_t>(k)) = T(from(begin + static_cast<std::size_t>(k)));
    });
  }
};

/// The same on the host. A tile fits the first-level cache, so that one side is read or written with a stride.
template <Direction direction, class To, class From>
struct TransposeTilesHost {
  using T = typename To::non_const_value_type;

  To to;
  From from;
  Csr5Shape shape;
  std::size_t num_tiles, num_entries;

  void operator()(std::size_t tile) const {
    auto const lanes = static_cast<std::size_t>(shape.lanes), sigma = static_cast<std::size_t>(shape.sigma);
    std::size_t const base = tile * lanes * sigma;
    if (tile == num_tiles) {
      for (std::size_t k = base; k < num_entries; ++k) to(k) = T(from(k));
      return;
    }
    for (std::size_t j = 0; j < sigma; ++j)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if constexpr (direction == Direction::to_tiles)
          to(base + j * lanes + lane) = T(from(base + lane * sigma + j));
        else
          to(base + lane * sigma + j) = T(from(base + j * lanes + lane));
      }
  }
};

/// Copies one array between CSR order and the order of the tiles. Asynchronous on exec; 1 launch.
template <Direction direction, class Exec, class Format, class To, class From>
void move_array(Exec const& exec, char const* label, Format const& F, To const& to, From const& from) {
  auto const num_tiles = static_cast<std::size_t>(F.num_tiles), num_entries = static_cast<std::size_t>(F.nnz());
  if constexpr (is_gpu<Exec>) {
    using Functor = TransposeTiles<Exec, direction, To, From>;
    constexpr int max_bytes = 32 * 1024;
    int const tile_size = F.shape.lanes * F.shape.sigma;
    int const fit = max_bytes / (tile_size * static_cast<int>(sizeof(typename Functor::T)));
    int const tiles_per_team = std::clamp(fit, 1, 8);
    auto policy = Kokkos::TeamPolicy<Exec>(
        exec, static_cast<int>(ceil_div(num_tiles, static_cast<std::size_t>(tiles_per_team))) + 1,
        Functor::team_size);
    auto const scratch = Functor::scratch_bytes(tiles_per_team * tile_size) + alignof(std::max_align_t);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
    Kokkos::parallel_for(
        label, light_weight(policy),
        Functor{to, from, F.shape, num_tiles, num_entries, tiles_per_team, bits_for(F.shape.lanes)});
  } else {
    range_for<std::size_t>(label, exec, num_tiles + 1,
                           TransposeTilesHost<direction, To, From>{to, from, F.shape, num_tiles, num_entries});
  }
}

template <class Exec, class Format, class Matrix>
void transpose_tiles(Exec const& exec, Format& F, Matrix const& A) {
  auto const nnz = static_cast<std::size_t>(A.nnz());
  F.columns = allocate<decltype(F.columns)>(exec, "einkorn::Csr5::columns", nnz);
  F.values = allocate<decltype(F.values)>(exec, "einkorn::Csr5::values", nnz);
  move_array<Direction::to_tiles>(exec, "einkorn::from_csr[csr5,columns]", F, F.columns, A.columns);
  move_array<Direction::to_tiles>(exec, "einkorn::from_csr[csr5,values]", F, F.values, A.values);
}

template <class Offset, class OffsetsF, class OffsetsA>
struct CountDifferentOffsets {
  OffsetsF offsets_F;
  OffsetsA offsets_A;

  KOKKOS_FUNCTION void operator()(std::size_t i, Offset& count) const {
    count += offsets_F(i) != offsets_A(i) ? 1 : 0;
  }
};

template <class Format, class Columns>
struct CountDifferentColumns {
  using Offset = typename Format::offset_type;

  Format F;
  Columns columns_A;

  KOKKOS_FUNCTION void operator()(Offset k, Offset& count) const {
    count += F.column(F.position(k)) != columns_A(k) ? 1 : 0;
  }
};

/// Whether A has the structure that F was converted from. Fences exec.
template <class Exec, class Format, class Matrix>
bool same_structure(Exec const& exec, Format const& F, Matrix const& A) {
  using Offset = typename Format::offset_type;
  Offset differences = 0;
  auto const offsets_F = F.row_offsets, offsets_A = A.row_offsets;
  if (A.columns.extent(0) != F.values.extent(0)) return false;
  if (F.num_rows > 0 && offsets_A.extent(0) != offsets_F.extent(0)) return false;
  if (F.num_rows > 0 && offsets_F.data() != offsets_A.data())
    range_reduce<std::size_t>(
        "einkorn::same_structure[rows]", exec, offsets_F.extent(0),
        CountDifferentOffsets<Offset, decltype(F.row_offsets), decltype(A.row_offsets)>{offsets_F, offsets_A},
        differences);
  if (differences > 0) return false;
  auto const columns_A = A.columns;
  range_reduce<Offset>("einkorn::same_structure[columns]", exec, F.nnz(),
                       CountDifferentColumns<Format, decltype(A.columns)>{F, columns_A}, differences);
  return differences == 0;
}

}  // namespace einkorn::detail
