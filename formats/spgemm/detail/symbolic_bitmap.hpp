// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The columns of a long row of C in a bitmap, in passes of as many columns as it has bits. The output is
/// sorted. If the rows of B are sorted, each pass finds its range of a row of B by binary search.
template <class Exec, class Args>
struct SymbolicBitmapRow {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Ordinal = typename Args::Ordinal;
  using Group = RowGroup<Lanes<Exec>, Member, true>;

  Args const& args;
  RowBatch const& batch;
  Ordinal num_keys;
  bool sorted_B;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int words) { return array_bytes<std::uint32_t>(words); }

  KOKKOS_FORCEINLINE_FUNCTION void run(Member const& team) const {
    Group const group{team, batch};
    int const capacity = batch.slots;
    char* scratch = group.scratch(bytes(capacity));
    auto const row = args.row(batch.first_item + group.item());
    auto* const bits = take_array<std::uint32_t>(scratch, capacity);
    std::uint64_t entries = 0, num_compressed = 0;
    for (Ordinal first = 0; first < num_keys; first += static_cast<Ordinal>(capacity)) {
      Ordinal const left = num_keys - first;
      int const size = left < static_cast<Ordinal>(capacity) ? static_cast<int>(left) : capacity;
      group.for_each(size, [&](int w) { bits[w] = 0; });
      mark(group, row, bits, first, size);
      std::uint64_t counts = 0;
      if (args.stores_counts())
        counts = group.template sum<std::uint64_t>(size, [&](int w) { return Args::counted(bits[w]); });
      if (args.counting) {
        entries += counts & 0xffffffffu;
      } else {
        auto const offset =
            static_cast<typename Args::Offset>(args.offsets(row) + static_cast<typename Args::Offset>(entries));
        entries += static_cast<std::uint64_t>(args.write_in_order(
            team, size, offset, [&](int w) { return bits[w]; },
            [&](int w) { return static_cast<Ordinal>(first + w); }));
        team.team_barrier();
      }
      num_compressed += counts >> 32;
      if (left <= static_cast<Ordinal>(capacity)) break;  // before `first` can pass the largest Ordinal
    }
    if (args.stores_counts()) group.once([&] { args.store_counts(row, entries, num_compressed); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void mark(Group const& group, Ordinal row, std::uint32_t* bits, Ordinal first,
                                        int size) const {
    auto const begin = args.A.row_begin(row);
    bool const restrict_to_pass = sorted_B && static_cast<Ordinal>(size) < num_keys;
    group.for_each_staged(
        static_cast<typename Args::Segment*>(nullptr), static_cast<Ordinal>(args.A.row_end(row) - begin),
        [&](Ordinal k) -> typename Args::Segment {
          Ordinal const j = args.A.columns(begin + k);
          auto const from = restrict_to_pass ? args.B.lower_bound(j, first) : args.B.offsets(j);
          auto const end = restrict_to_pass ? args.B.lower_bound(j, first + static_cast<Ordinal>(size))
                                            : args.B.offsets(j + 1);
          return {from, static_cast<Ordinal>(end - from)};
        },
        [&](Group const& lanes, typename Args::Segment const& segment) {
          lanes.for_each_in_segment(segment.count, [&](Ordinal w) {
            auto const column = args.B.load(segment.first + w);
            Ordinal const at = column.key - first;
            if (at < 0 || at >= static_cast<Ordinal>(size)) return;
            if ((Lanes<Exec>::load_volatile(&bits[at]) & column.mask) !=
                column.mask)  // most bits are already set
              Lanes<Exec>::atomic_or(&bits[at], column.mask);
          });
        });
  }
};

}  // namespace einkorn::detail
