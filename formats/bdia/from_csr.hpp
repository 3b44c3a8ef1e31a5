// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/bdia/bdia.hpp>
#include <einkorn/formats/bdia/bdia_tuning.hpp>
#include <einkorn/formats/bdia/detail/join_diagonals.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/diagonals/detail/fill.hpp>
#include <einkorn/formats/diagonals/detail/search.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace einkorn {

struct BdiaOptions {
  double fill_limit = default_fill_limit;  ///< maximum slots per entry of the CSR
  Checks checks = Checks::on;              ///< validate the structure of the CSR
  /// Runs of diagonals separated by at most this many empty diagonals are joined into one band.
  std::int64_t max_gap = default_max_gap;
};

namespace detail {

/// Copies the table of bands to F. Fences exec, so that the host's arrays may be freed on return.
template <class Exec, class Format>
void store_bands(Exec const& exec, BandTable<typename Format::ordinal_type> const& table, Format& F) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Ordinals = Kokkos::View<Ordinal*, typename Format::device_type>;
  using Offsets = Kokkos::View<Offset*, typename Format::device_type>;
  std::size_t const bands = table.size(), all = 2 * bands + static_cast<std::size_t>(table.diagonals);
  auto const ordinals = allocate<Ordinals>(exec, "einkorn::Bdia::bands", all);
  F.band_offsets = Kokkos::subview(ordinals, std::pair(std::size_t(0), bands));
  F.band_widths = Kokkos::subview(ordinals, std::pair(bands, 2 * bands));
  F.diagonals = Kokkos::subview(ordinals, std::pair(2 * bands, all));
  F.band_bases = allocate<Offsets>(exec, "einkorn::Bdia::band_bases", bands + 1);
  auto const host_ordinals = allocate_on_host("einkorn::Bdia::bands on the host", ordinals);
  auto const bases = allocate_on_host("einkorn::Bdia::band_bases on the host", F.band_bases);
  bases(0) = 0;
  std::size_t d = 2 * bands;
  for (std::size_t b = 0; b < bands; ++b) {
    host_ordinals(b) = table.offsets[b];
    host_ordinals(bands + b) = table.widths[b];
    bases(b + 1) = bases(b) + static_cast<Offset>(table.widths[b]) * F.stride;
    for (Ordinal j = 0; j < table.widths[b]; ++j) host_ordinals(d++) = table.offsets[b] + j;
  }
  copy_vector(exec, ordinals, host_ordinals);
  copy_vector(exec, F.band_bases, bases);
  fence(exec, "einkorn::from_csr[bdia]: the table of bands is copied");
}

}  // namespace detail

/// Converts CSR to bDIA on the device. Rows may be unsorted; repeated positions are summed in order; the
/// diagonal of a stored zero is stored, where the zero is indistinguishable from padding. The host determines
/// the bands from the list of diagonals, which is read back after the check of the fill limit.
/// @throws FillLimit before the slots are allocated
/// @throws InvalidArgument (max_gap below 0), InvalidStructure (checks), OverflowError, OutOfMemory
/// Cost on a GPU: reads A's structure once, that of a sixteenth of the rows to find the diagonals, and A once; writes the slots
/// once. If the sample lacks diagonals, rows are unsorted, positions repeated or there are more than 512 diagonals: reads the
/// structure twice more and A again, writes the slots once or twice more. On the host: reads A's structure three times and A
/// once, writes the slots once if rows are sorted and positions unique and there are at most 512 diagonals of 8 bytes per slot,
/// else twice. Both the second and the host use one byte per diagonal of the matrix (num_rows + num_cols - 1), freed on return.
/// Fences exec.
template <>
struct FromCsr<Bdia> {
  using Options = BdiaOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Bdia<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[bdia]");
    require<InvalidArgument>(options.max_gap >= 0, [&] {
      return detail::joined("from_csr: bDIA with max_gap ", options.max_gap, ", expected 0 or more");
    });
    detail::DiagonalSearch<Exec, Csr<Scalar, Ordinal, Offset, Device>> search(exec, A, options.checks);
    auto const source = search.finish();
    Bdia<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.source = source;
    auto const rows = static_cast<double>(A.num_rows), nnz = static_cast<double>(A.nnz());
    auto const build = [&](auto const& diagonals) {
      detail::require_fill(options.max_gap > 0 ? "bDIA, gaps not counted," : "bDIA",
                           rows * static_cast<double>(diagonals.count), nnz, options.fill_limit);
      auto const table =
          detail::join_diagonals(detail::list_diagonals_on_host(exec, A, diagonals), options.max_gap);
      detail::require_fill("bDIA", rows * table.diagonals, nnz, options.fill_limit);
      detail::require_stored_fits<Offset>("bDIA", (rows + 31.0) * table.diagonals);
      F.stride = ceil_div(static_cast<Offset>(A.num_rows), 32) * 32;
      F.values = {};
      detail::store_bands(exec, table, F);
      F.values = allocate<Kokkos::View<Value*, Device>>(
          exec, "einkorn::Bdia::values",
          static_cast<std::size_t>(F.stride) * static_cast<std::size_t>(table.diagonals));
      return F.diagonals;
    };
    detail::build_from_diagonals(exec, "einkorn::from_csr[bdia]", F, A, search, build);
    return F;
  }
};

/// F.values <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr.
/// Cost: reads A once; writes the slots as from_csr, or one slot per entry where from_csr writes twice; asynchronous on
/// exec. Checks read A's structure once and fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Bdia<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::fill_diagonals(exec, "einkorn::update_values[bdia]", F, F.diagonals, A, false);
}

}  // namespace einkorn
