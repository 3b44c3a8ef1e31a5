// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
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

/// A slice whose slots are no whole number of columns, or end before they begin.
template <class Offsets>
struct BadSlice {
  Offsets offsets;
  typename Offsets::non_const_value_type slice_rows;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index s) const {
    return offsets(s + 1) < offsets(s) || (offsets(s + 1) - offsets(s)) % slice_rows != 0;
  }
};

/// A slot whose column is none, or that holds an entry behind padding or behind the last row.
template <class Format>
struct BadSlot {
  Format F;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index at) const {
    auto const column = F.columns(at);
    if (column < 0) return column != -1;
    if (column >= F.num_cols) return true;
    auto const stride = F.slot_stride();
    auto const slice = row_of_entry(F.slice_offsets, F.num_slices(), at);
    auto const place = at - F.slice_offsets(slice);
    auto const rows_left = F.num_rows - slice * F.slice_rows;
    if (static_cast<Index>(rows_left) <= place % stride) return true;
    return place >= stride && F.columns(at - stride) < 0;
  }
};

}  // namespace detail

/// Throws InvalidStructure unless F keeps the invariants of Sell (sell.hpp); the message names the first slice,
/// slot or position that does not, and OverflowError when the slots leave kernels no room in Offset. For
/// structs that from_csr has not made. Looks at no value. On the device; reads columns twice, with log2(slices)
/// reads of the offsets a slot; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
static void validate(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Sell: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  require<InvalidStructure>(F.slice_rows >= 1 && F.slice_rows <= sell_most_slice_rows, [&] {
    return "Sell: slice_rows is " + text(F.slice_rows) + ", expected 1 .. 1024";
  });
  require<InvalidStructure>(F.columns.extent(0) == F.values.extent(0), [&] {
    return "Sell: columns has " + text(F.columns.extent(0)) + " slots, values " + text(F.values.extent(0));
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
  using BadSlice = detail::BadSlice<decltype(F.slice_offsets)>;
  auto const slice = detail::first_bad(exec, "einkorn::validate[slices]", F.num_slices(),
                                       BadSlice{F.slice_offsets, static_cast<Offset>(F.slice_rows)});
  require<InvalidStructure>(slice == F.num_slices(), [&] {
    auto const s = static_cast<std::size_t>(slice);
    return "Sell: slice " + text(slice) + " has slots " + text(offset(s)) + " to " + text(offset(s + 1)) +
           ", expected a multiple of slice_rows = " + text(F.slice_rows);
  });
  if (F.rows.extent(0) > 0) (void)detail::inverse_permutation(exec, F.rows, F.num_rows, "Sell: rows");
  auto const slot = detail::first_bad(exec, "einkorn::validate[slots]", slots,
                                      detail::BadSlot<Sell<Scalar, Ordinal, Offset, Device>>{F});
  require<InvalidStructure>(slot == slots, [&] {
    return "Sell: slot " + text(slot) + " has column " +
           text(detail::read_one(F.columns, static_cast<std::size_t>(slot))) + ", expected 0 .. " +
           text(F.num_cols) + " - 1, or -1 behind a row's entries and behind the last row";
  });
  Offset entries = 0;
  auto const columns = F.columns;
  Kokkos::parallel_reduce(
      "einkorn::validate[entries]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>(exec, 0, slots),
      KOKKOS_LAMBDA(Offset at, Offset & count) {
        if (columns(at) >= 0) ++count;
      },
      entries);
  require<InvalidStructure>(entries == F.num_entries, [&] {
    return "Sell: num_entries is " + text(F.num_entries) + ", but " + text(entries) + " slots hold an entry";
  });
}

}  // namespace einkorn
