// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/detail/launch.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace einkorn::detail {

/// How many rows of a kind have their sums taken together.
template <class Scalar>
constexpr int rows_together(SpgemmTuning const& tuning, int max_sums) {
  int rows = 4;
  while (rows > 1 && rows * max_sums * static_cast<int>(sizeof(Scalar)) > tuning.sums_of_rows) rows /= 2;
  return rows;
}
/// Sums of that many rows that are read and written as one: at most 16 bytes, so that lanes next to each other
/// go to different banks.
template <class Scalar>
constexpr int rows_of_part(int rows) {
  return std::min(rows, std::max(1, static_cast<int>(16 / sizeof(Scalar))));
}

/// counts(run) <- its slots: the run is an entry of F, the first rows of A. Where they come in steps, one at
/// least, so that the steps of short runs follow each other.
template <class FMatrix, class BMatrix, class Counts>
struct CountSlotsOfRun {
  FMatrix F;
  BMatrix B;
  Counts counts;
  std::uint64_t at_once;  // slots
  KOKKOS_FUNCTION void operator()(std::size_t run) const {
    auto const j = F.columns(run);
    auto const products = static_cast<std::uint64_t>(B.row_end(j) - B.row_begin(j));
    auto const steps = (products + at_once - 1) / at_once;
    counts(run) = (at_once > 1 && steps == 0 ? 1 : steps) * at_once;
  }
};

/// The place of each product's column in the row of C, in the order of B's entries.
template <class FMatrix, class BMatrix, class Places, class List, class Offsets, class Columns>
struct FindRank {
  FMatrix F;
  BMatrix B;
  Places places;
  List first_rows;
  Offsets offsets;  // of C
  Columns columns;

  KOKKOS_FUNCTION void operator()(std::size_t slot) const {
    auto const run = row_of_entry(places.starts, static_cast<std::int64_t>(F.columns.extent(0)),
                                  static_cast<std::uint64_t>(slot));
    auto const kind =
        row_of_entry(places.runs, static_cast<std::int64_t>(F.num_rows), static_cast<std::uint64_t>(run));
    auto const j = F.columns(run), row = first_rows(kind);
    auto const own = slot - places.starts(run), entry = static_cast<std::size_t>(B.row_begin(j)) + own;
    if (entry >= static_cast<std::size_t>(B.row_end(j))) {
      places.places(slot) = RankOfSlot::none;
      return;
    }
    auto const begin = static_cast<std::uint64_t>(offsets(row)),
               end = static_cast<std::uint64_t>(offsets(row + 1));
    auto const place = lower_bound_index(columns, begin, end, B.columns(entry)) - begin;
    places.places(slot) = static_cast<std::uint16_t>(place);
  }
};

/// Orders the entries of every step of a run, one of 32 lanes that read and write 16 bytes of scratch each, 8
/// of them at once: lane l gets a place that is l modulo 8 as long as there are such, so that these 8 go to
/// banks of their own. Values of B come 16 at once, so entries that are 16 apart stay in different halves.
template <class Places>
struct SwizzleBanks {
  static constexpr int lanes = Places::lanes_apart, half = 16, at_once = 8;

  Places places;

  struct Step {
    std::uint16_t of[lanes];
    int size = 0;
    std::uint32_t second = 0;  // bit e: entry e is in the second half
    std::uint64_t counts = 0;  // 4 bits for each half and remainder; 16 of one go wrong, and only here

    KOKKOS_FORCEINLINE_FUNCTION int remainder(int e) const { return of[e] % at_once; }
    KOKKOS_FORCEINLINE_FUNCTION int bit_of(int e) const {
      return 4 * (remainder(e) + at_once * static_cast<int>(second >> e & 1));
    }
    KOKKOS_FORCEINLINE_FUNCTION void swap(int e) {
      for (; e < size; e += half) {
        counts -= std::uint64_t(1) << bit_of(e);
        second ^= std::uint32_t(1) << e;
        counts += std::uint64_t(1) << bit_of(e);
      }
    }
    /// Entries that have no place of their own: a half has two for each remainder.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int excess() const {
      int sum = 0;
      for (int bit = 0; bit < 64; bit += 4) {
        int const count = static_cast<int>(counts >> bit & 15);
        sum += count > 2 ? count - 2 : 0;
      }
      return sum;
    }
  };

  KOKKOS_FUNCTION void operator()(std::size_t number) const {
    auto* const slots = places.places.data() + number * lanes;
    Step step;
    for (; step.size < lanes && slots[step.size] != RankOfSlot::none; ++step.size)
      step.of[step.size] = slots[step.size];
    for (int e = 0; e < step.size; ++e) {
      step.second |= static_cast<std::uint32_t>(e / half) << e;
      step.counts += std::uint64_t(1) << step.bit_of(e);
    }
    int excess = step.excess();
    for (int trial = 0; trial < 4 * half && excess > 0; ++trial) {
      int const e = trial % half, allowed = excess - (trial / half % 2 == 0 ? 1 : 0);
      step.swap(e);
      int const now = step.excess();
      if (now <= allowed)
        excess = now;
      else
        step.swap(e);
    }
    std::uint32_t taken = 0, left = 0;
    auto const put = [&](int e, int slot) {
      slots[slot] = RankOfSlot::of(step.of[e], e);
      taken |= std::uint32_t(1) << slot;
    };
    for (int e = 0; e < step.size; ++e) {
      int slot = half * static_cast<int>(step.second >> e & 1) + step.remainder(e);
      if ((taken >> slot & 1) != 0) slot += at_once;
      if ((taken >> slot & 1) != 0)
        left |= std::uint32_t(1) << e;
      else
        put(e, slot);
    }
    for (int e = 0; e < step.size; ++e) {
      if ((left >> e & 1) == 0) continue;
      int slot = half * static_cast<int>(step.second >> e & 1);
      while ((taken >> slot & 1) != 0) ++slot;
      put(e, slot);
    }
    for (int slot = 0; slot < lanes; ++slot)
      if ((taken >> slot & 1) == 0) slots[slot] = RankOfSlot::none;
  }
};

/// The longest row of C among the first rows of its kinds.
template <class List, class Offsets>
struct LongestRow {
  List first_rows;
  Offsets offsets;
  KOKKOS_FUNCTION void operator()(std::size_t kind, std::uint64_t& longest) const {
    auto const row = first_rows(kind);
    auto const length = static_cast<std::uint64_t>(offsets(row + 1)) - static_cast<std::uint64_t>(offsets(row));
    if (length > longest) longest = length;
  }
};

/// The places of the sums of every kind of rows, none where rows of C are too long for it or they would be more
/// than `limit` bytes. kinds: RowClassesOfC; C's columns are there, its rows sorted; `lanes` share a run, 1
/// where it may repeat a column. Fences exec.
template <class Scalar, class Exec, class RowClasses, class BMatrix, class Offsets, class Columns>
auto scatter_map(Exec const& exec, RowClasses const& kinds, BMatrix const& B, Offsets const& offsets,
                 Columns const& columns, int lanes, std::size_t limit) {
  using AMatrix = decltype(kinds.firsts);
  using List = decltype(kinds.first_rows);
  using Places = ScatterMap<typename AMatrix::ordinal_type, typename AMatrix::device_type>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  static_assert(tuning.placed_sums <= RankOfSlot::max_ranks);
  auto const& F = kinds.firsts;
  std::size_t const runs = F.columns.extent(0);
  std::uint64_t longest = 0;
  Kokkos::parallel_reduce("einkorn::spgemm[longest kind]", Range(exec, 0, kinds.first_rows.extent(0)),
                          LongestRow<List, Offsets>{kinds.first_rows, offsets},
                          Kokkos::Max<std::uint64_t>(longest));
  Places places;
  places.longest = static_cast<int>(std::min<std::uint64_t>(longest, std::numeric_limits<int>::max()));
  if (places.longest > tuning.placed_sums) return Places();
  constexpr int all_rows = 4;
  places.is_swizzled = lanes == Places::lanes_apart && rows_of_part<Scalar>(all_rows) * sizeof(Scalar) == 16 &&
                       rows_together<Scalar>(tuning, places.longest) == all_rows;
  auto const list = [&](std::size_t size) {
    return allocate<decltype(places.starts)>(exec, "einkorn::spgemm::runs_of_kinds", size);
  };
  if ((F.row_offsets.extent(0) + runs + 1) * sizeof(std::uint64_t) > limit) return Places();
  places.runs = list(F.row_offsets.extent(0));
  Kokkos::deep_copy(exec, places.runs, F.row_offsets);
  places.starts = list(runs + 1);
  Kokkos::parallel_for(
      "einkorn::spgemm[slots of runs]", Range(exec, 0, runs),
      CountSlotsOfRun<AMatrix, BMatrix, decltype(places.starts)>{
          F, B, places.starts, static_cast<std::uint64_t>(places.is_swizzled ? Places::lanes_apart : 1)});
  auto const slots = static_cast<std::size_t>(counts_to_offsets(exec, places.starts));
  if (places.bytes_beside_kinds() + slots * sizeof(std::uint16_t) > limit) return Places();
  places.places = allocate<decltype(places.places)>(exec, "einkorn::spgemm::places", slots);
  using Find = FindRank<AMatrix, BMatrix, Places, List, Offsets, Columns>;
  Kokkos::parallel_for("einkorn::spgemm[places]", Range(exec, 0, slots),
                       Find{F, B, places, kinds.first_rows, offsets, columns});
  if (places.is_swizzled)
    Kokkos::parallel_for("einkorn::spgemm[places apart]", Range(exec, 0, slots / Places::lanes_apart),
                         SwizzleBanks<Places>{places});
  exec.fence("einkorn::spgemm: the first rows are freed");
  places.kinds = kinds.kinds;
  return places;
}

/// The values of rows of C whose sums have known places. A group of lanes takes `rows_at_once` rows that follow
/// each other, together where they are of one kind: the entries of A's rows one after the other, its lanes the
/// entries of B's rows. Every sum grows in the order of A's entries, without atomics.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Places, int rows_at_once,
          bool is_swizzled>
struct ScatteredSumsOfC {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;
  using L = Lanes<Exec>;
  using Group = RowGroup<L, typename Policy::member_type, false>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Places places;
  int max_sums;
  bool one_lane;  // a run may repeat a column: two lanes would meet there
  int lanes;      // a group; a launch may make them more

  /// An entry of each of `rows` rows of A, the entries of B that it is multiplied by, and where their places
  /// are. An odd number of 16 bytes for double, so that lanes that write one each go to different banks.
  template <int rows>
  struct alignas(16) Run {
    Scalar a[rows];
    typename BMatrix::offset_type first[rows];
    Ordinal count;
    std::uint32_t start;
    char apart[rows == 1 ? 8 : 16];
  };
  /// Sums of several of the rows.
  template <int rows>
  struct alignas(rows_of_part<Scalar>(rows) * sizeof(Scalar)) Sums {
    static constexpr int size = rows_of_part<Scalar>(rows), parts = rows / size;
    Scalar of[size];
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int max_sums) {
    using SumsOfRows = Sums<rows_at_once>;
    return bytes_taken<SumsOfRows>(SumsOfRows::parts * max_sums) +
           bytes_taken<Run<rows_at_once>>(Group::staging_entries);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group group{team, lanes, lanes};
    char* const scratch = group.scratch(bytes(max_sums));
    std::int64_t const first = group.item() * rows_at_once, end = static_cast<std::int64_t>(C.num_rows);
    if (group.longest(are_alike(first, end) ? 0 : 1) == 0) {  // the warp goes one way
      add_rows<rows_at_once>(group, static_cast<Ordinal>(first), scratch);
    } else {
      for (std::int64_t row = first; row < first + rows_at_once; ++row) {
        group.is_idle = row >= end;
        add_rows<1>(group, static_cast<Ordinal>(group.is_idle ? end - 1 : row), scratch);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool are_alike(std::int64_t first, std::int64_t end) const {
    if (first + rows_at_once > end) return false;
    for (int r = 1; r < rows_at_once; ++r)
      if (places.kinds(first + r) != places.kinds(first)) return false;
    return true;
  }

  /// All sums of `rows` rows of one kind.
  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(Group const& group, Ordinal row, char* scratch) const {
    auto* const runs = take<Run<rows>>(scratch, Group::staging_entries);
    auto* const sums = take<Sums<rows>>(scratch, Sums<rows>::parts * max_sums);
    auto const size = group.is_idle ? 0 : static_cast<int>(C.row_end(row) - C.row_begin(row));
    group.for_each(size, [&](int p) {
      for (int part = 0; part < Sums<rows>::parts; ++part) sums[part * max_sums + p] = {};
    });
    add_products<rows>(group, row, runs, sums);
    Offset first[rows];
    for (int r = 0; r < rows; ++r) first[r] = C.row_begin(row + static_cast<Ordinal>(r));
    group.for_each(size, [&](int p) {
      for (int part = 0; part < Sums<rows>::parts; ++part) {
        auto const sum = sums[part * max_sums + p];
        for (int r = 0; r < Sums<rows>::size; ++r)
          C.values(first[part * Sums<rows>::size + r] + static_cast<Offset>(p)) = sum.of[r];
      }
    });
  }

  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Group const& group, Ordinal row, Run<rows>* runs,
                                                Sums<rows>* sums) const {
    typename AMatrix::offset_type begin[rows];
    for (int r = 0; r < rows; ++r) begin[r] = A.row_begin(row + static_cast<Ordinal>(r));
    Ordinal const count = group.is_idle ? Ordinal(0) : static_cast<Ordinal>(A.row_end(row) - begin[0]);
    auto const* const starts = places.starts.data() + places.runs(places.kinds(row));
    Ordinal const most = group.longest(count);
    for (Ordinal done = 0; done < most; done += Group::max_staged) {
      Ordinal longest = 0;
      int const staged = group.longest(group.stage(runs, count, done, [&](Ordinal k) {
        Run<rows> run;
        for (int r = 0; r < rows; ++r) {
          run.a[r] = Scalar(A.values(begin[r] + k));
          run.first[r] = B.row_begin(A.columns(begin[r] + k));
        }
        run.start = static_cast<std::uint32_t>(starts[k]);
        run.count = static_cast<Ordinal>(starts[k + 1] - starts[k]);
        if (run.count > longest) longest = run.count;
        return run;
      }));
      auto const stride = static_cast<Ordinal>(stride_of_lanes());
      longest = max_over_lanes<L>(longest);
      if (longest <= stride) {
        // B's entries wait for these, so they are asked for before the runs that come before are added.
        [[maybe_unused]] auto const* const slots =
            places.places.data() + starts[done < count ? done : Ordinal(0)] + group.lane();
        [[maybe_unused]] std::uint16_t own[prefetch_distance<rows>], next[prefetch_distance<rows>];
        [[maybe_unused]] auto const ask = [&](int s) {
          for (int step = 0; step < prefetch_distance<rows>; ++step) {
            bool const is_run = done + static_cast<Ordinal>(s + step) < count;
            next[step] = is_run ? slots[(s + step) * Places::lanes_apart] : RankOfSlot::none;
          }
        };
        if constexpr (is_swizzled) ask(0);
        for (int s = 0; s < staged; s += prefetch_distance<rows>) {
          if constexpr (is_swizzled) {
            for (int step = 0; step < prefetch_distance<rows>; ++step) own[step] = next[step];
            ask(s + prefetch_distance<rows>);
          }
          add<rows, true>(group, runs + s, 0, own, sums);
        }
      } else {
        for (int s = 0; s < staged; ++s)
          for (Ordinal l = 0; l < longest; l += prefetch_distance<rows> * stride)
            add<rows, false>(group, runs + s, l, nullptr, sums);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int stride_of_lanes() const { return one_lane ? 1 : lanes; }

  /// Steps of which the entries of B are on their way at once.
  template <int rows>
  static constexpr int prefetch_distance = rows < 4 ? 4 : 2;

  /// The products of `ahead` steps: an entry a lane of as many runs, or as many entries of one run from l on.
  /// slots: of the lane in these runs, where they are set apart.
  template <int rows, bool of_runs>
  KOKKOS_FORCEINLINE_FUNCTION void add(Group const& group, Run<rows> const* runs, Ordinal l,
                                       [[maybe_unused]] std::uint16_t const* slots, Sums<rows>* sums) const {
    Scalar a[prefetch_distance<rows>][rows], b[prefetch_distance<rows>][rows] = {};
    int place[prefetch_distance<rows>];
    for (int step = 0; step < prefetch_distance<rows>; ++step) {
      Run<rows> const run = runs[of_runs ? step : 0];
      for (int r = 0; r < rows; ++r) a[step][r] = run.a[r];
      auto const own = l + static_cast<Ordinal>(group.lane() + (of_runs ? 0 : step * stride_of_lanes()));
      auto const ask_for = [&](Ordinal entry) {
        for (int r = 0; r < rows; ++r) b[step][r] = Scalar(B.values(run.first[r] + entry));
      };
      place[step] = -1;
      if constexpr (is_swizzled) {
        std::uint16_t slot = RankOfSlot::none;
        if constexpr (of_runs)
          slot = slots[step];
        else if (own < run.count)
          slot = places.places(run.start + static_cast<std::uint32_t>(own));
        if (slot != RankOfSlot::none) place[step] = RankOfSlot::place(slot);
        Ordinal const entry = (own & ~static_cast<Ordinal>(Places::lanes_apart - 1)) +
                              static_cast<Ordinal>(RankOfSlot::entry(slot));
        if (place[step] >= 0) ask_for(entry);
      } else if (own < run.count && (!one_lane || group.lane() == 0)) {
        place[step] = static_cast<int>(places.places(run.start + static_cast<std::uint32_t>(own)));
        ask_for(own);
      }
    }
    for (int step = 0; step < prefetch_distance<rows>; ++step) {
      for (int part = 0; part < Sums<rows>::parts && place[step] >= 0; ++part) {
        auto& sums_of_part = sums[part * max_sums + place[step]];
        auto sum = sums_of_part;
        for (int r = 0; r < Sums<rows>::size; ++r) {
          int const row = part * Sums<rows>::size + r;
          sum.of[r] += a[step][row] * b[step][row];
        }
        sums_of_part = sum;
      }
      group.sync();
    }
  }
};

/// All values of C. One launch, asynchronous on exec.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Places>
void sum_by_scatter_map(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                        Places const& places, int lanes) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  int const max_sums = std::max(places.longest, 1);
  auto const launch = [&]<int rows, bool is_swizzled>(std::integral_constant<int, rows>,
                                                      std::bool_constant<is_swizzled>) {
    using Functor = ScatteredSumsOfC<Exec, AMatrix, BMatrix, CMatrix, Places, rows, is_swizzled>;
    launch_groups<false>(exec, "einkorn::spgemm[values,placed]",
                         Functor{A, B, C, places, max_sums, lanes == 1, lanes},
                         (static_cast<std::int64_t>(C.num_rows) + rows - 1) / rows, Functor::bytes(max_sums));
  };
  int const rows = rows_together<typename CMatrix::scalar_type>(tuning, max_sums);
  if (places.is_swizzled)
    launch(std::integral_constant<int, 4>(), std::true_type());
  else if (rows == 4)
    launch(std::integral_constant<int, 4>(), std::false_type());
  else if (rows == 2)
    launch(std::integral_constant<int, 2>(), std::false_type());
  else
    launch(std::integral_constant<int, 1>(), std::false_type());
}

}  // namespace einkorn::detail
