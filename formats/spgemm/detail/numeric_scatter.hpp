// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/launch_batches.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// The values of C with a scatter map. A group of lanes computes `batch` consecutive rows, together if they are
/// of one class: it processes the entries of A's rows one after another, its lanes the entries of B's rows.
/// Every sum is added in the order of A's entries, without atomics.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Map, int batch, bool is_swizzled>
struct NumericScatterKernel {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;
  using L = Lanes<Exec>;
  using Group = RowGroup<L, typename Policy::member_type, false>;
  static constexpr int scalar_bytes = static_cast<int>(sizeof(Scalar));

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Map map;
  int num_accumulators;
  bool single_lane;  // a segment may repeat a column: two lanes would update one sum
  int lanes;         // per group; launch_groups() may increase it

  /// An entry of each of `rows` rows of A, the entries of B that it is multiplied by, and their first slot. The
  /// size is an odd multiple of 16 bytes for double, so that lanes that write one each access different banks.
  template <int rows>
  struct alignas(16) Segment {
    Scalar a[rows];
    typename BMatrix::offset_type first[rows];
    Ordinal count;
    std::uint32_t first_slot;
    char padding[rows == 1 ? 8 : 16];
  };
  /// Sums of several rows at one rank, read and written as one vector.
  template <int rows>
  struct alignas(rows_per_vector(rows, scalar_bytes) * scalar_bytes) Sums {
    static constexpr int size = rows_per_vector(rows, scalar_bytes), num_vectors = rows / size;
    Scalar of[size];
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int num_accumulators) {
    using BatchSums = Sums<batch>;
    return array_bytes<BatchSums>(BatchSums::num_vectors * num_accumulators) +
           array_bytes<Segment<batch>>(Group::staging_entries);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group group{team, lanes, lanes};
    char* const scratch = group.scratch(bytes(num_accumulators));
    std::int64_t const first = group.item() * batch, end = static_cast<std::int64_t>(C.num_rows);
    if (group.max_over_warp(are_one_class(first, end) ? 0 : 1) == 0) {  // uniform within the warp
      add_rows<batch>(group, static_cast<Ordinal>(first), scratch);
    } else {
      for (std::int64_t row = first; row < first + batch; ++row) {
        group.is_idle = row >= end;
        add_rows<1>(group, static_cast<Ordinal>(group.is_idle ? end - 1 : row), scratch);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool are_one_class(std::int64_t first, std::int64_t end) const {
    if (first + batch > end) return false;
    for (int r = 1; r < batch; ++r)
      if (map.class_of_row(first + r) != map.class_of_row(first)) return false;
    return true;
  }

  /// All sums of `rows` rows of one class.
  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(Group const& group, Ordinal row, char* scratch) const {
    auto* const segments = take_array<Segment<rows>>(scratch, Group::staging_entries);
    auto* const sums = take_array<Sums<rows>>(scratch, Sums<rows>::num_vectors * num_accumulators);
    auto const size = group.is_idle ? 0 : static_cast<int>(C.row_end(row) - C.row_begin(row));
    group.for_each(size, [&](int p) {
      for (int vector = 0; vector < Sums<rows>::num_vectors; ++vector) sums[vector * num_accumulators + p] = {};
    });
    add_products<rows>(group, row, segments, sums);
    Offset first[rows];
    for (int r = 0; r < rows; ++r) first[r] = C.row_begin(row + static_cast<Ordinal>(r));
    group.for_each(size, [&](int p) {
      for (int vector = 0; vector < Sums<rows>::num_vectors; ++vector) {
        auto const sum = sums[vector * num_accumulators + p];
        for (int r = 0; r < Sums<rows>::size; ++r)
          C.values(first[vector * Sums<rows>::size + r] + static_cast<Offset>(p)) = sum.of[r];
      }
    });
  }

  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Group const& group, Ordinal row, Segment<rows>* segments,
                                                Sums<rows>* sums) const {
    typename AMatrix::offset_type begin[rows];
    for (int r = 0; r < rows; ++r) begin[r] = A.row_begin(row + static_cast<Ordinal>(r));
    Ordinal const count = group.is_idle ? Ordinal(0) : static_cast<Ordinal>(A.row_end(row) - begin[0]);
    auto const* const starts = map.first_slot.data() + map.first_segment(map.class_of_row(row));
    Ordinal const max_count = group.max_over_warp(count);
    for (Ordinal done = 0; done < max_count; done += Group::max_staged) {
      Ordinal max_length = 0;
      int const staged = group.max_over_warp(group.stage(segments, count, done, [&](Ordinal k) {
        Segment<rows> segment;
        for (int r = 0; r < rows; ++r) {
          segment.a[r] = Scalar(A.values(begin[r] + k));
          segment.first[r] = B.row_begin(A.columns(begin[r] + k));
        }
        segment.first_slot = static_cast<std::uint32_t>(starts[k]);
        segment.count = static_cast<Ordinal>(starts[k + 1] - starts[k]);
        if (segment.count > max_length) max_length = segment.count;
        return segment;
      }));
      auto const stride = static_cast<Ordinal>(lane_stride());
      max_length = max_over_lanes<L>(max_length);
      if (max_length <= stride) {
        // The addresses of B's entries depend on the slots, so these are loaded one batch of segments ahead.
        [[maybe_unused]] auto const* const slots =
            map.ranks.data() + starts[done < count ? done : Ordinal(0)] + group.lane();
        [[maybe_unused]] std::uint16_t current[prefetch_distance<rows>], next[prefetch_distance<rows>];
        [[maybe_unused]] auto const prefetch_slots = [&](int s) {
          for (int step = 0; step < prefetch_distance<rows>; ++step) {
            bool const is_segment = done + static_cast<Ordinal>(s + step) < count;
            next[step] = is_segment ? slots[(s + step) * Map::swizzle_lanes] : RankOfSlot::none;
          }
        };
        if constexpr (is_swizzled) prefetch_slots(0);
        for (int s = 0; s < staged; s += prefetch_distance<rows>) {
          if constexpr (is_swizzled) {
            for (int step = 0; step < prefetch_distance<rows>; ++step) current[step] = next[step];
            prefetch_slots(s + prefetch_distance<rows>);
          }
          add<rows, true>(group, segments + s, 0, current, sums);
        }
      } else {
        for (int s = 0; s < staged; ++s)
          for (Ordinal l = 0; l < max_length; l += prefetch_distance<rows> * stride)
            add<rows, false>(group, segments + s, l, nullptr, sums);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int lane_stride() const { return single_lane ? 1 : lanes; }

  /// Steps whose entries of B are loaded before the first is added.
  template <int rows>
  static constexpr int prefetch_distance = rows < 4 ? 4 : 2;

  /// The products of prefetch_distance steps: one entry per lane of each of as many segments (per_segment), or
  /// as many entries per lane of one segment from entry l on. slots: of this lane in these segments, if
  /// is_swizzled.
  template <int rows, bool per_segment>
  KOKKOS_FORCEINLINE_FUNCTION void add(Group const& group, Segment<rows> const* segments, Ordinal l,
                                       [[maybe_unused]] std::uint16_t const* slots, Sums<rows>* sums) const {
    Scalar a[prefetch_distance<rows>][rows], b[prefetch_distance<rows>][rows] = {};
    int rank[prefetch_distance<rows>];
    for (int step = 0; step < prefetch_distance<rows>; ++step) {
      Segment<rows> const segment = segments[per_segment ? step : 0];
      for (int r = 0; r < rows; ++r) a[step][r] = segment.a[r];
      auto const position = l + static_cast<Ordinal>(group.lane() + (per_segment ? 0 : step * lane_stride()));
      auto const load_b = [&](Ordinal entry) {
        for (int r = 0; r < rows; ++r) b[step][r] = Scalar(B.values(segment.first[r] + entry));
      };
      rank[step] = -1;
      if constexpr (is_swizzled) {
        std::uint16_t slot = RankOfSlot::none;
        if constexpr (per_segment)
          slot = slots[step];
        else if (position < segment.count)
          slot = map.ranks(segment.first_slot + static_cast<std::uint32_t>(position));
        if (slot != RankOfSlot::none) rank[step] = RankOfSlot::rank(slot);
        Ordinal const entry = (position & ~static_cast<Ordinal>(Map::swizzle_lanes - 1)) +
                              static_cast<Ordinal>(RankOfSlot::entry(slot));
        if (rank[step] >= 0) load_b(entry);
      } else if (position < segment.count && (!single_lane || group.lane() == 0)) {
        rank[step] = static_cast<int>(map.ranks(segment.first_slot + static_cast<std::uint32_t>(position)));
        load_b(position);
      }
    }
    for (int step = 0; step < prefetch_distance<rows>; ++step) {
      for (int vector = 0; vector < Sums<rows>::num_vectors && rank[step] >= 0; ++vector) {
        auto& at_rank = sums[vector * num_accumulators + rank[step]];
        auto sum = at_rank;
        for (int r = 0; r < Sums<rows>::size; ++r) {
          int const row = vector * Sums<rows>::size + r;
          sum.of[r] += a[step][row] * b[step][row];
        }
        at_rank = sum;
      }
      group.sync();
    }
  }
};

/// The same for short rows: one row per thread, whose sums are in scratch at a distance of team_size, without bank
/// conflicts. Rows of one class need not be consecutive.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Map>
struct NumericScatterByThreads {
  static constexpr int team_size = 128;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size>>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Map map;
  int num_accumulators;

  static std::size_t scratch_bytes(int num_accumulators) {
    return static_cast<std::size_t>(num_accumulators * team_size) * sizeof(Scalar);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const row = static_cast<std::int64_t>(team.league_rank()) * team_size + team.team_rank();
    auto* const sums =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(
            static_cast<std::size_t>(num_accumulators * team_size) * sizeof(Scalar), alignof(Scalar))) +
        team.team_rank();
    if (row < static_cast<std::int64_t>(C.num_rows)) add_row(static_cast<Ordinal>(row), sums);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Ordinal row, Scalar* sums) const {
    Offset const to = C.row_begin(row);
    int const size = static_cast<int>(C.row_end(row) - to);
    for (int p = 0; p < size; ++p) sums[p * team_size] = Scalar(0);
    auto const begin = A.row_begin(row);
    auto const count = static_cast<std::uint64_t>(A.row_end(row) - begin);
    auto const segment = map.first_segment(map.class_of_row(row));
    auto slot = map.first_slot(segment);
    for (std::uint64_t k = 0; k < count; ++k) {
      auto const entry = begin + static_cast<typename AMatrix::offset_type>(k);
      Scalar const a(A.values(entry));
      auto b = B.row_begin(A.columns(entry));
      auto const end = map.first_slot(segment + k + 1);
      for (; slot < end; ++slot, ++b) sums[map.ranks(slot) * team_size] += a * Scalar(B.values(b));
    }
    for (int p = 0; p < size; ++p) C.values(to + static_cast<Offset>(p)) = sums[p * team_size];
  }
};

template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Map>
void compute_values_by_threads(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                               Map const& map) {
  using Functor = NumericScatterByThreads<Exec, AMatrix, BMatrix, CMatrix, Map>;
  int const num_accumulators = std::max(map.max_row_length, 1);
  typename Functor::Policy policy(
      exec, static_cast<int>(ceil_div(static_cast<std::int64_t>(C.num_rows), Functor::team_size)),
      Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(num_accumulators) +
                                                              alignof(std::max_align_t))));
  Kokkos::parallel_for("einkorn::spgemm[numeric,scatter map]", light_weight(policy),
                       Functor{A, B, C, map, num_accumulators});
}

/// All values of C. One launch, asynchronous on exec.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Map>
void compute_values_by_scatter_map(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                                   Map const& map, int lanes) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  int const num_accumulators = std::max(map.max_row_length, 1);
  if constexpr (is_gpu<Exec>)
    if (!map.is_swizzled && lanes <= tuning.max_lanes_of_row_threads &&
        num_accumulators <= tuning.max_row_length_of_row_threads && C.num_rows > 0)
      return compute_values_by_threads(exec, A, B, C, map);
  auto const launch = [&]<int rows, bool is_swizzled>(std::integral_constant<int, rows>,
                                                      std::bool_constant<is_swizzled>) {
    using Functor = NumericScatterKernel<Exec, AMatrix, BMatrix, CMatrix, Map, rows, is_swizzled>;
    launch_groups(exec, "einkorn::spgemm[numeric,scatter map]",
                  Functor{A, B, C, map, num_accumulators, lanes == 1, lanes},
                  ceil_div(static_cast<std::int64_t>(C.num_rows), rows), Functor::bytes(num_accumulators));
  };
  int const rows =
      scatter_batch_rows(tuning, static_cast<int>(sizeof(typename CMatrix::scalar_type)), num_accumulators);
  if (map.is_swizzled)
    launch(std::integral_constant<int, 4>(), std::true_type());
  else if (rows == 4)
    launch(std::integral_constant<int, 4>(), std::false_type());
  else if (rows == 2)
    launch(std::integral_constant<int, 2>(), std::false_type());
  else
    launch(std::integral_constant<int, 1>(), std::false_type());
}

}  // namespace einkorn::detail
