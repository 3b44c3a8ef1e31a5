// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/permutation.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/sell/sell.hpp>
#include <einkorn/formats/sell/sell_tuning.hpp>
#include <einkorn/formats/spmv_checks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

namespace detail {

/// True for a slice with a negative number of slots or one that is not a multiple of slice_rows.
template <class Offsets>
struct IsInvalidSlice {
  Offsets offsets;
  typename Offsets::non_const_value_type slice_rows;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index s) const {
    return offsets(s + 1) < offsets(s) || (offsets(s + 1) - offsets(s)) % slice_rows != 0;
  }
};

/// True for a slice whose codes or columns lie outside their array, or whose windows are invalid.
template <class Format>
struct HasInvalidCodes {
  Format F;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index s) const {
    auto const first = F.slice_offsets(s);
    auto const size = static_cast<std::size_t>(F.slice_offsets(s + 1) - first);
    auto const location = F.compressed.locate(s, first);
    std::size_t const stored = location.is_coded ? F.compressed.codes.extent(0) : F.columns.extent(0);
    if (size > stored || static_cast<std::size_t>(location.begin) > stored - size) return true;
    if (!location.is_coded) return false;
    auto const windows = F.compressed.windows(s);
    for (int w = 1; w < windows.count; ++w)
      if (windows.shift[w] < windows.shift[w - 1]) return true;
    return windows.shift[0] < 0 || windows.shift[windows.count - 1] > F.num_cols;
  }
};

/// True for a slot with an invalid column, or with an entry after padding or after the last row.
template <class Format>
struct IsInvalidSlot {
  Format F;

  template <class Index>
  KOKKOS_FUNCTION typename Format::ordinal_type column(Index at) const {
    if (!F.compressed.any()) return F.columns(at);
    return F.column(row_of_entry(F.slice_offsets, F.num_slices(), at) * F.slice_rows, at);
  }
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index at) const {
    auto const slot_column = column(at);
    if (slot_column < 0) return slot_column != -1;
    if (slot_column >= F.num_cols) return true;
    auto const stride = F.slot_stride();
    auto const slice = row_of_entry(F.slice_offsets, F.num_slices(), at);
    auto const offset_in_slice = at - F.slice_offsets(slice);
    auto const rows_left = F.num_rows - slice * F.slice_rows;
    if (static_cast<Index>(rows_left) <= offset_in_slice % stride) return true;
    return offset_in_slice >= stride && column(at - stride) < 0;
  }
};

template <class Format>
struct ReadSlotColumn {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  IsInvalidSlot<Format> slots;
  Offset slot;

  KOKKOS_FUNCTION void operator()(int, Ordinal& sum) const { sum += slots.column(slot); }
};

/// Reads the column of one slot back to the host. Fences exec.
template <class Exec, class Format>
typename Format::ordinal_type column_of_slot(Exec const& exec, Format const& F,
                                             typename Format::offset_type slot) {
  using Ordinal = typename Format::ordinal_type;
  Ordinal column = 0;
  IsInvalidSlot<Format> const slots{F};
  range_reduce<int>("einkorn::validate[slot]", exec, 1, ReadSlotColumn<Format>{slots, slot}, column);
  return column;
}

template <class View>
struct CountOccupied {
  View slots;
  typename View::non_const_value_type padding;

  KOKKOS_FUNCTION void operator()(std::size_t at, std::size_t& count) const {
    count += slots(at) != padding ? 1 : 0;
  }
};

/// Counts the slots of an array of columns or codes that are not padding. Fences exec.
template <class Exec, class View>
std::size_t count_occupied(Exec const& exec, View const& slots, typename View::non_const_value_type padding) {
  std::size_t entries = 0;
  range_reduce<std::size_t>("einkorn::validate[entries]", exec, slots.extent(0),
                            CountOccupied<View>{slots, padding}, entries);
  return entries;
}

/// Checks the arrays of F.compressed.
/// @pre slice_offsets is valid.
template <class Exec, class Format>
void validate_codes(Exec const& exec, Format const& F) {
  auto const slices = static_cast<std::size_t>(F.num_slices());
  auto const text = [](auto number) { return std::to_string(number); };
  if (!F.compressed.any()) return;
  require<InvalidStructure>(F.compressed.windows.extent(0) == slices, [&] {
    return "Sell: compressed.windows has extent " + text(F.compressed.windows.extent(0)) +
           ", expected the slices, " + text(slices);
  });
  auto const begins = F.compressed.begins.extent(0);
  require<InvalidStructure>(begins == slices || begins == 0, [&] {
    return "Sell: compressed.begins has extent " + text(begins) + ", expected the slices, " + text(slices) +
           ", or none";
  });
  auto const slice = first_bad(exec, "einkorn::validate[codes]", F.num_slices(), HasInvalidCodes<Format>{F});
  require<InvalidStructure>(slice == F.num_slices(), [&] {
    return "Sell: slice " + text(slice) + " has codes outside of the arrays, or invalid windows";
  });
}

}  // namespace detail

/// Checks the invariants of Sell (sell.hpp), for a struct filled by the caller. Values are not checked.
/// @throws InvalidStructure, naming the first invalid slice, slot or position
/// @throws OverflowError if the number of slots is too large for kernels that count in Offset
/// Cost: on the device; reads columns twice, with log2(slices) reads of the offsets per slot; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Sell: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  require<InvalidStructure>(F.slice_rows >= 1 && F.slice_rows <= sell_max_slice_rows, [&] {
    return "Sell: slice_rows is " + text(F.slice_rows) + ", expected 1 .. 1024";
  });
  std::size_t const indices = F.columns.extent(0) + F.compressed.codes.extent(0);
  require<InvalidStructure>(indices == F.values.extent(0), [&] {
    return "Sell: columns has " + text(indices) + " slots, values " + text(F.values.extent(0));
  });
  detail::check_entries<Offset>(F.values.extent(0));
  require<InvalidStructure>(F.rows.extent(0) == 0 || F.rows.extent(0) == static_cast<std::size_t>(F.num_rows),
                            [&] {
                              return "Sell: rows has extent " + text(F.rows.extent(0)) +
                                     ", expected num_rows = " + text(F.num_rows) + " or none";
                            });
  auto const slots = static_cast<Offset>(F.values.extent(0));
  auto const slices = static_cast<std::size_t>(F.num_slices());
  if (slices == 0 && F.slice_offsets.extent(0) == 0) {
    require<InvalidStructure>(slots == 0 && F.num_entries == 0, "Sell: entries, but no rows");
    return;
  }
  require<InvalidStructure>(F.slice_offsets.extent(0) == slices + 1, [&] {
    return "Sell: slice_offsets has extent " + text(F.slice_offsets.extent(0)) +
           ", expected slices + 1 = " + text(slices + 1);
  });
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  auto const offset = [&](std::size_t s) { return detail::read_one(F.slice_offsets, s); };
  require<InvalidStructure>(offset(0) == 0,
                            [&] { return "Sell: slice_offsets(0) is " + text(offset(0)) + ", expected 0"; });
  require<InvalidStructure>(offset(slices) == slots, [&] {
    return "Sell: slice_offsets(" + text(slices) + ") is " + text(offset(slices)) + ", expected the slots, " +
           text(slots);
  });
  using IsInvalidSlice = detail::IsInvalidSlice<decltype(F.slice_offsets)>;
  auto const slice = detail::first_bad(exec, "einkorn::validate[slices]", F.num_slices(),
                                       IsInvalidSlice{F.slice_offsets, static_cast<Offset>(F.slice_rows)});
  require<InvalidStructure>(slice == F.num_slices(), [&] {
    auto const s = static_cast<std::size_t>(slice);
    return "Sell: slice " + text(slice) + " has slots " + text(offset(s)) + " to " + text(offset(s + 1)) +
           ", expected a multiple of slice_rows = " + text(F.slice_rows);
  });
  detail::validate_codes(exec, F);
  if (F.rows.extent(0) > 0) (void)detail::inverse_permutation(exec, F.rows, F.num_rows, "Sell: rows");
  auto const slot = detail::first_bad(exec, "einkorn::validate[slots]", slots,
                                      detail::IsInvalidSlot<Sell<Scalar, Ordinal, Offset, Device>>{F});
  require<InvalidStructure>(slot == slots, [&] {
    return "Sell: slot " + text(slot) + " has column " + text(detail::column_of_slot(exec, F, slot)) +
           ", expected 0 .. " + text(F.num_cols) + " - 1, or -1 after a row's entries and after the last row";
  });
  std::size_t const entries = detail::count_occupied(exec, F.columns, Ordinal(-1)) +
                              detail::count_occupied(exec, F.compressed.codes, ColumnWindows<Ordinal>::padding);
  require<InvalidStructure>(entries == static_cast<std::size_t>(F.num_entries), [&] {
    return "Sell: num_entries is " + text(F.num_entries) + ", but " + text(entries) + " slots hold an entry";
  });
}

}  // namespace einkorn
