// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Entry j of a row of the CSR to slot j of its position, and padding behind the row (values_only: columns stay
/// as they are). A team takes 32 positions and goes along their rows 32 entries at a time: threads that read
/// lie side by side in a row, threads that write side by side in a slice, and between the two the entries lie
/// in team scratch (one slot in 33 empty, so that neither meets itself in one bank).
template <bool values_only, class Exec, class Format, class Matrix>
struct FillSlices {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1, tile = 32, pitch = tile + 1;
  static constexpr std::size_t value_bytes = tile * pitch * sizeof(Scalar);
  static constexpr std::size_t column_bytes = values_only ? 0 : tile * pitch * sizeof(Ordinal);
  static constexpr std::size_t scratch_bytes = value_bytes + column_bytes + 64;

  Format F;
  Matrix A;
  std::int64_t num_positions;  // slices times C

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes_of_values = value_bytes;
    [[maybe_unused]] std::size_t const bytes_of_columns = column_bytes;
    auto* const values =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(bytes_of_values, alignof(Scalar)));
    Ordinal* columns = nullptr;
    if constexpr (!values_only)
      columns =
          static_cast<Ordinal*>(team.team_scratch(0).get_shmem_aligned(bytes_of_columns, alignof(Ordinal)));
    auto const first = static_cast<std::int64_t>(team.league_rank()) * tile;
    Offset const widest = widest_from(first);
    for (Offset j = 0; j < widest; j += tile) {
      for (int i = team.team_rank(); i < tile * tile; i += team.team_size())
        read(first + i / tile, j + static_cast<Offset>(i % tile), i / tile * pitch + i % tile, values, columns);
      team.team_barrier();
      for (int i = team.team_rank(); i < tile * tile; i += team.team_size())
        write(first + i % tile, j + static_cast<Offset>(i / tile), i % tile * pitch + i / tile, values,
              columns);
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION Offset widest_from(std::int64_t first) const {
    Offset widest = 0;
    for (std::int64_t p = first; p < first + tile && p < num_positions; ++p) {
      Offset const count = F.slot_count(static_cast<Ordinal>(p));
      widest = count > widest ? count : widest;
    }
    return widest;
  }
  KOKKOS_FUNCTION void read(std::int64_t position, Offset j, int to, Scalar* values,
                            [[maybe_unused]] Ordinal* columns) const {
    bool is_entry = false;
    Offset k = 0;
    if (position < static_cast<std::int64_t>(F.num_rows)) {
      Ordinal const row = F.row_at(static_cast<Ordinal>(position));
      k = A.row_begin(row) + j;
      is_entry = k < A.row_end(row);
    }
    values[to] = is_entry ? Scalar(A.values(k)) : Scalar(0);
    if constexpr (!values_only) columns[to] = is_entry ? Ordinal(A.columns(k)) : Ordinal(-1);
  }
  KOKKOS_FUNCTION void write(std::int64_t position, Offset j, int from, Scalar const* values,
                             [[maybe_unused]] Ordinal const* columns) const {
    auto const p = static_cast<Ordinal>(position);
    if (position >= num_positions || j >= F.slot_count(p)) return;
    Offset const at = F.slot_begin(p) + j * F.slot_stride();
    F.values(at) = values[from];
    if constexpr (!values_only) F.columns(at) = columns[from];
  }
};

/// The same on the host: a slice a thread, row after row.
template <bool values_only, class Format, class Matrix>
struct FillSlicesHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  void operator()(Ordinal slice) const {
    Offset const stride = F.slot_stride(), end = F.slice_offsets(slice + 1);
    for (Ordinal i = 0; i < F.slice_rows; ++i) {
      Offset at = F.slice_offsets(slice) + static_cast<Offset>(i);
      if (i < F.num_rows - slice * F.slice_rows) {
        Ordinal const row = F.row_at(slice * F.slice_rows + i);
        for (Offset k = A.row_begin(row); k < A.row_end(row); ++k, at += stride) {
          F.values(at) = Scalar(A.values(k));
          if constexpr (!values_only) F.columns(at) = A.columns(k);
        }
      }
      if constexpr (!values_only)
        for (; at < end; at += stride) {
          F.values(at) = Scalar(0);
          F.columns(at) = -1;
        }
    }
  }
};

/// 1 launch, asynchronous on exec.
template <bool values_only, class Exec, class Format, class Matrix>
void fill_slices(Exec const& exec, Format const& F, Matrix const& A) {
  char const* const label = values_only ? "einkorn::update_values[sell]" : "einkorn::from_csr[sell]";
  if constexpr (is_gpu<Exec>) {
    using Functor = FillSlices<values_only, Exec, Format, Matrix>;
    auto const positions = static_cast<std::int64_t>(F.num_slices()) * static_cast<std::int64_t>(F.slice_rows);
    auto const league = static_cast<int>((positions + Functor::tile - 1) / Functor::tile);
    auto policy = Kokkos::TeamPolicy<Exec>(exec, league, Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes)));
    Kokkos::parallel_for(label, light_weight(policy), Functor{F, A, positions});
  } else {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<typename Format::ordinal_type>>;
    Kokkos::parallel_for(label, Policy(exec, 0, F.num_slices()),
                         FillSlicesHost<values_only, Format, Matrix>{F, A});
  }
}

}  // namespace einkorn::detail
