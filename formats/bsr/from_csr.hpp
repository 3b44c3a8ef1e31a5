// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/merge_rows.hpp>
#include <einkorn/formats/bsr/detail/repeats_positions.hpp>
#include <einkorn/formats/bsr/detail/scatter_values.hpp>
#include <einkorn/formats/bsr/detect_block_size.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

struct BsrOptions {
  int block_size = 0;                      ///< 1 .. 64; 0: by detect_block_size
  double fill_limit = default_fill_limit;  ///< stored entries for each entry of the CSR, at most
  Checks checks = Checks::on;              ///< of the CSR's structure
};

/// CSR to BSR, on the device: blocks are counted, then their columns are written, by a merge of the b rows of a
/// block row; then each entry of A goes to its place in a block of zeros. A block is stored where A has an
/// entry, be it a stored zero. Rows of A need not be sorted (a sorted copy then serves to find the blocks);
/// positions that repeat are added up in their order.
///
/// Cost: reads A's columns four times and its values once (checks, order, merge, fingerprint; seven columns
/// more where the block size is detected), writes the blocks twice (zeros, then entries). Fences exec. Throws
/// InvalidArgument (block_size), FillLimit before anything of the size of the blocks is allocated,
/// InvalidStructure (checks), OverflowError, OutOfMemory.
template <>
struct FromCsr<Bsr> {
  using Options = BsrOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Bsr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    require<InvalidArgument>(options.block_size >= 0 && options.block_size <= largest_block_size, [&] {
      return "from_csr: block_size is " + std::to_string(options.block_size) +
             ", expected 0 (detect) or 1 .. " + std::to_string(largest_block_size);
    });
    Kokkos::Profiling::ScopedRegion region("einkorn::from_csr[bsr]");
    if (options.checks == Checks::on) validate(exec, A);
    Csr<Value const, Ordinal, Offset, Device> sorted = A;
    if (!is_sorted_by_column(exec, A)) sorted = sort_rows(exec, A);
    int const b =
        options.block_size > 0 ? options.block_size : detail::block_size_of_fewest_bytes(exec, sorted);
    Bsr<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.block_size = b;
    F.num_block_rows = static_cast<Ordinal>(A.num_rows / b + (A.num_rows % b != 0));
    F.num_block_cols = static_cast<Ordinal>(A.num_cols / b + (A.num_cols % b != 0));
    F.num_entries = A.nnz();
    F.has_repeats = detail::repeats_positions(exec, sorted);
    F.source = fingerprint(exec, A);
    auto const offsets = allocate<Kokkos::View<Offset*, Device>>(
        exec, "einkorn::Bsr::row_offsets", static_cast<std::size_t>(F.num_block_rows) + 1);
    detail::count_blocks(exec, sorted, b, F.num_block_rows, offsets);
    auto const blocks = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
    double const stored = static_cast<double>(blocks) * b * b;
    std::string const name = "BSR of " + std::to_string(b) + " x " + std::to_string(b) + " blocks";
    detail::require_fill(name.c_str(), stored, static_cast<double>(A.nnz()), options.fill_limit);
    detail::require_stored_fits<Offset>(name.c_str(), stored);
    auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Bsr::columns", blocks);
    F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Bsr::values",
                                                      blocks * static_cast<std::size_t>(b * b));
    detail::fill_block_columns(exec, sorted, b, F.num_block_rows, offsets, columns);
    F.row_offsets = offsets;
    F.columns = columns;
    Kokkos::deep_copy(exec, F.values, Value(0));
    detail::scatter_values(exec, "einkorn::from_csr[bsr]", F, A, true);
    exec.fence("einkorn::from_csr[bsr]: A may change from here on");
    return F;
  }
};

/// F.values <- A.values on the known structure; the blocks stay where they are. Throws StalePlan, before
/// anything changes, when A's structure is not the one that F was made from (checks on: reads A's structure
/// once and fences exec). Cost without checks: reads A once, writes its entries into the blocks, whose padding
/// stays; where positions repeat, zeroes the blocks first. Asynchronous on exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Bsr<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::scatter_values(exec, "einkorn::update_values[bsr]", F, A, false);
}

}  // namespace einkorn
