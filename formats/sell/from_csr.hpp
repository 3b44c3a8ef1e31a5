// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/detail/result_memory.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/column_codes/detail/column_windows.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>
#include <einkorn/formats/sell/detail/fill_slices.hpp>
#include <einkorn/formats/sell/detail/size_slices.hpp>
#include <einkorn/formats/sell/sell.hpp>
#include <einkorn/formats/sell/sell_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace einkorn {

struct SellOptions {
  int slice_rows = 0;      ///< C, 1 to 1024; 0: rows computed in lockstep (sell_tuning.hpp)
  std::int64_t sigma = 0;  ///< rows per sorting window: a multiple of C; 1: no sorting; 0: automatic
  double fill_limit = default_fill_limit;  ///< maximum slots of rows per entry of the CSR
  Checks checks = Checks::on;              ///< validate the structure of the CSR
  /// compressed: 16-bit codes for the columns of slices that allow it, if that saves memory.
  Indices indices = Indices::full;
};

/// Converts CSR to SELL-C-sigma on the device. Entries keep their order; unsorted rows, repeated positions and
/// stored zeros are preserved.
///
/// The fill counts the slots of rows; slots of the positions after the last row do not count. sigma 0 sorts in
/// windows of 4096 rows (rounded up to a multiple of C) if the fill without sorting exceeds 1.05 and there is
/// more than one slice; on a GPU in windows of 128 rows if the matrix stays in the second-level cache and the fill is
/// then at most 2.
/// @throws InvalidArgument (slice_rows, sigma)
/// @throws FillLimit before the slots are allocated
/// @throws InvalidStructure (checks), OverflowError, OutOfMemory
/// Cost: reads the row offsets once (to sort: once more on a GPU, twice more on the host or with windows of more than 4096
/// rows, and a sort, see rows_by_length.hpp) and A once (columns once more for checks and fingerprint), writes the slots.
/// On a GPU A is checked while memory for the slots is allocated. Compressed indices read the columns up to six times more
/// and need the uncompressed columns at the same time. Fences exec.
template <>
struct FromCsr<Sell> {
  using Options = SellOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Sell<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[sell]");
    int const slice_rows = options.slice_rows == 0 ? sell_slice_rows<Exec, Value> : options.slice_rows;
    check(slice_rows, options);
    detail::require_enumerator(options.indices, Indices::compressed, "from_csr: indices");
    using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
    using detail::InspectionStart;
    detail::Inspection<detail::Inspect::structure, Exec, Matrix> inspection(exec, A, options.checks,
                                                                            InspectionStart::later);
    Sell<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.slice_rows = static_cast<Ordinal>(slice_rows);
    F.slice_offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Sell::slice_offsets",
                                                              static_cast<std::size_t>(F.num_slices()) + 1);
    // On a GPU the kernels that size slices, and order rows in windows of this size, are safe for an invalid structure. A is
    // inspected after them, while memory is allocated.
    bool const is_sized_first = is_gpu<Exec> && options.sigma <= std::int64_t(detail::max_window_in_scratch);
    if (!is_sized_first) F.source = inspection.finish().fingerprint;
    auto const slots = order_rows(exec, F, A, options.sigma);
    inspection.start();
    auto const size = static_cast<std::size_t>(slots.all);
    try {
      detail::require_fill("SELL", static_cast<double>(slots.of_rows), static_cast<double>(A.nnz()),
                           options.fill_limit);
      detail::require_stored_fits<Offset>("SELL", static_cast<double>(slots.all));
      F.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Sell::columns", size);
      F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Sell::values", size);
    } catch (Error const&) {
      if (is_sized_first) (void)inspection.finish();  // throws for an invalid structure, which may be the cause
      throw;
    }
    [[maybe_unused]] auto const scan_memory = to_offsets(exec, F.slice_offsets);
    detail::fill_slices<false>(
        exec, F, A, detail::are_on(options.checks) ? inspection.errors() : detail::InspectionErrors());
    if (is_sized_first) F.source = inspection.finish().fingerprint;
    if (options.indices == Indices::compressed)
      detail::compress_columns(exec, static_cast<Offset>(F.num_slices()),
                               detail::TileBounds<Offset>{F.slice_offsets.data()}, static_cast<Offset>(size),
                               F.columns, F.compressed);
    fence(exec, "einkorn::from_csr[sell]: A may change from here on");
    return F;
  }

 private:
  static void check(int slice_rows, Options const& options) {
    require<InvalidArgument>(slice_rows > 0 && slice_rows <= sell_max_slice_rows, [&] {
      return detail::joined("from_csr: SELL with slice_rows = ", slice_rows,
                            ", expected 1 .. 1024, or 0 for the hardware's");
    });
    auto const sigma = options.sigma;
    require<InvalidArgument>(sigma >= 0 && (sigma <= 1 || sigma % slice_rows == 0), [&] {
      return detail::joined("from_csr: SELL with sigma = ", sigma,
                            ", expected a multiple of slice_rows = ", slice_rows, ", 1 for no sorting, or 0");
    });
  }

  /// Sets F.rows and stores the slots per slice in F.slice_offsets.
  template <class Exec, class Format, class Matrix>
  static detail::SliceSlots order_rows(Exec const& exec, Format& F, Matrix const& A, std::int64_t sigma) {
    auto const nnz = static_cast<double>(A.nnz());
    if (sigma <= 1) {
      auto const slots = detail::size_slices<false>(exec, F, A);
      bool const is_full = static_cast<double>(slots.of_rows) <= sell_fill_without_sorting * nnz;
      if (sigma == 1 || is_full || F.num_slices() <= 1) return slots;
      auto const C = static_cast<std::int64_t>(F.slice_rows);
      auto const window = sell_window<Exec>(static_cast<std::int64_t>(A.nnz()));
      if (window < sell_sorting_window) {
        auto const sorted_slots = sort_rows(exec, F, A, ceil_div(window, C) * C);
        if (static_cast<double>(sorted_slots.of_rows) <= sell_max_cached_fill * nnz) return sorted_slots;
      }
      sigma = ceil_div(sell_sorting_window, C) * C;
    }
    return sort_rows(exec, F, A, sigma);
  }

  template <class Exec, class Format, class Matrix>
  static detail::SliceSlots sort_rows(Exec const& exec, Format& F, Matrix const& A, std::int64_t sigma) {
    auto const num_rows = static_cast<std::size_t>(A.num_rows);
    if (F.rows.extent(0) != num_rows)
      F.rows = allocate<decltype(F.rows)>(exec, "einkorn::Sell::rows", num_rows);
    if constexpr (is_gpu<Exec>)
      if (num_rows > 0 && sigma <= std::int64_t(detail::max_window_in_scratch))
        return detail::slots_of_launch(exec, [&](std::uint64_t* words) {
          auto const window = std::min(static_cast<std::size_t>(sigma), num_rows);
          detail::launch_sort_and_size(exec, F, A, window, words);
        });
    if (num_rows > 0)
      detail::order_by_length(exec, A, std::min(static_cast<std::size_t>(sigma), num_rows), F.rows);
    return detail::size_slices<true>(exec, F, A);
  }

  /// Asynchronous on exec. Returns memory that the kernels use.
  template <class Exec, class Offsets>
  static auto to_offsets(Exec const& exec, Offsets const& offsets) {
    if constexpr (is_gpu<Exec>) {
      auto memory = std::make_unique<detail::ResultMemory<Exec>>(exec, 0);
      detail::launch_scan_in_parts(exec, offsets, memory->data());
      return memory;
    } else {
      detail::launch_counts_to_offsets(exec, offsets);
      return nullptr;
    }
  }
};

/// F.values <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr.
/// Cost: reads A's values and row offsets, writes F's values; asynchronous on exec, 1 launch. Checks read A's
/// structure once and fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::fill_slices<true>(exec, F, A);
}

}  // namespace einkorn
