// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/fill_blocks.hpp>
#include <einkorn/formats/bsr/detail/fill_full_blocks.hpp>
#include <einkorn/formats/bsr/detail/merge_rows.hpp>
#include <einkorn/formats/bsr/detail/sample_blocks.hpp>
#include <einkorn/formats/bsr/detect_block_size.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

struct BsrOptions {
  int block_size = 0;                      ///< 1 .. 64; 0: see FromCsr<Bsr>
  double fill_limit = default_fill_limit;  ///< maximal number of stored values per entry of the CSR
  Checks checks = Checks::on;              ///< of the structure of the CSR
};

/// CSR to BSR on the device. A block is stored where A has an entry, including stored zeros. Rows of A need not
/// be sorted (the blocks are then found in a sorted copy); repeated positions are added in their order.
///
/// block_size 0 selects the block size with the fewest bytes, by a sample or by detect_block_size(): exact if A has
/// fewer than 2^16 entries (GPU: 2^20 entries or 215040 rows), if a few rows have most of the entries, or if the choice of
/// the sample exceeds the fill limit. The sample: at least 64 block rows with about 2^15 entries per block size (GPU: 8
/// to 32 evenly spaced groups of 840 rows).
///
/// @throws InvalidArgument (block_size), InvalidStructure (checks), OverflowError, OutOfMemory
/// @throws FillLimit before the blocks are allocated
/// Cost: reads the columns of A four times (host: also four times, with memory for as many block columns as A has entries)
/// and the values once: checks, fingerprint and order (host: two passes), count, columns, values. The columns are not read
/// a third time on the host, and on a GPU, if all values of blocks up to 8 x 8 are entries, only for the first entry of each
/// block. Once more, on the host seven times more, if the block size is detected without a sample. Writes the blocks once,
/// on a GPU with repeated positions twice (zeros, then entries). Fences exec.
template <>
struct FromCsr<Bsr> {
  using Options = BsrOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Bsr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    require<InvalidArgument>(options.block_size >= 0 && options.block_size <= max_block_size, [&] {
      return detail::joined("from_csr: block_size is ", options.block_size, ", expected 0 (detect) or 1 .. ",
                            max_block_size);
    });
    ScopedRegion const region("einkorn::from_csr[bsr]");
    using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
    auto const inspected =
        detail::Inspection<detail::Inspect::order, Exec, Matrix>(exec, A, options.checks).finish();
    Csr<Value const, Ordinal, Offset, Device> sorted = A;
    auto order = inspected.order;
    if (!order.is_sorted) {
      sorted = sort_rows(exec, A);
      order = detail::row_order(exec, sorted);
    }
    Bsr<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.has_repeats = order.repeats;
    F.source = inspected.fingerprint;
    F.block_size = options.block_size > 0 ? options.block_size : detail::sampled_block_size(exec, sorted);
    bool const is_from_sample = options.block_size == 0 && F.block_size > 0;
    if (F.block_size == 0) F.block_size = detail::exact_block_size(exec, sorted);
    auto offsets = block_offsets(exec, sorted, F);
    auto const stored = [&] { return static_cast<double>(offsets.blocks) * F.block_size * F.block_size; };
    if (is_from_sample && stored() > options.fill_limit * static_cast<double>(A.nnz())) {
      F.block_size = detail::exact_block_size(exec, sorted);
      offsets = block_offsets(exec, sorted, F);
    }
    int const b = F.block_size;
    std::string const name = detail::joined("BSR of ", b, " x ", b, " blocks");
    detail::require_fill(name.c_str(), stored(), static_cast<double>(A.nnz()), options.fill_limit);
    detail::require_stored_fits<Offset>(name.c_str(), stored());
    auto const columns =
        allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Bsr::columns", offsets.blocks);
    F.row_offsets = offsets.view;
    F.columns = columns;
    std::size_t const num_values = offsets.blocks * static_cast<std::size_t>(b * b);
    F.has_full_blocks = inspected.order.is_sorted && !F.has_repeats && num_values == A.columns.extent(0);
    bool const is_permuted = is_gpu<Exec> && F.has_full_blocks && detail::is_known_block_size(b);
    if (!is_permuted)
      detail::fill_block_columns(exec, sorted, b, F.num_block_rows, offsets.view, offsets.listed, columns);
    F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Bsr::values", num_values);
    if constexpr (is_gpu<Exec>)
      if (is_permuted) detail::fill_full_blocks<true>(exec, "einkorn::from_csr[bsr]", F, A, columns);
    if (!is_permuted) detail::fill_blocks(exec, "einkorn::from_csr[bsr]", F, A, true);
    fence(exec, "einkorn::from_csr[bsr]: A is no longer read");
    return F;
  }

 private:
  template <class View, class Columns>
  struct BlockOffsets {
    View view;
    std::size_t blocks;
    Columns listed;  // of count_blocks()
  };

  /// The row_offsets of F for its block size. Sets num_block_rows and num_block_cols. Fences exec.
  template <class Exec, class Matrix, class Format>
  static auto block_offsets(Exec const& exec, Matrix const& sorted, Format& F) {
    using Ordinal = typename Format::ordinal_type;
    using View = Kokkos::View<typename Format::offset_type*, typename Format::device_type>;
    int const b = F.block_size;
    F.num_block_rows = static_cast<Ordinal>(F.num_rows / b + (F.num_rows % b != 0));
    F.num_block_cols = static_cast<Ordinal>(F.num_cols / b + (F.num_cols % b != 0));
    auto const offsets =
        allocate<View>(exec, "einkorn::Bsr::row_offsets", static_cast<std::size_t>(F.num_block_rows) + 1);
    auto const listed = detail::count_blocks(exec, sorted, b, F.num_block_rows, offsets);
    auto const blocks = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
    return BlockOffsets<View, std::remove_const_t<decltype(listed)>>{offsets, blocks, listed};
  }
};

/// F.values <- A.values for an unchanged structure.
/// @throws StalePlan, before F changes, if A does not have the structure that F was converted from (checks
/// on: reads the structure of A once and fences exec)
/// Cost without checks: reads A once; on a GPU writes the blocks once, on the host the entries in them; with
/// repeated positions the blocks are zeroed first. Asynchronous on exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Bsr<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::fill_blocks(exec, "einkorn::update_values[bsr]", F, A, false);
}

}  // namespace einkorn
