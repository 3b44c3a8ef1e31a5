// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/detail/expand_rows.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/ell/detail/fill_slots.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>
#include <einkorn/formats/hyb/detail/choose_width.hpp>
#include <einkorn/formats/hyb/detail/fill_coo_part.hpp>
#include <einkorn/formats/hyb/hyb.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

struct HybOptions {
  double fill_limit = default_fill_limit;  ///< maximum slots of the ELL part per entry of the CSR
  std::int64_t width = 0;                  ///< width of the ELL part; 0: automatic (detail/choose_width.hpp)
  Checks checks = Checks::on;              ///< validate the structure of the CSR
};

/// Converts CSR to HYB on the device. Entries keep their order; unsorted rows, repeated positions and stored
/// zeros are preserved. An automatic width is reduced until the slots satisfy the fill limit, possibly to 0. A
/// given width is limited to the longest row.
/// @throws FillLimit, OverflowError (given width), before the slots are allocated
/// @throws InvalidStructure (checks), InvalidArgument (negative width), OutOfMemory
/// Cost: reads A once (columns once more for checks and fingerprint) and row_offsets log2(3 mean) times for the
/// width; writes the slots and the COO part; a temporary of num_rows + 1 offsets. Fences exec.
template <>
struct FromCsr<Hyb> {
  using Options = HybOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Hyb<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[hyb]");
    require<InvalidArgument>(options.width >= 0, [&] {
      return detail::joined("from_csr: width is ", options.width, ", expected 0 (by rule) or more");
    });
    auto const source = detail::checked_fingerprint(exec, A, options.checks);
    Hyb<Value, Ordinal, Offset, Device> F;
    F.num_rows = F.ell.num_rows = F.coo.num_rows = A.num_rows;
    F.num_cols = F.ell.num_cols = F.coo.num_cols = A.num_cols;
    F.source = source;
    auto const width = width_for(exec, A, options);
    using Offsets = Kokkos::View<Offset*, Device>;
    auto const coo_offsets =
        allocate<Offsets>(exec, "einkorn::from_csr[hyb]", static_cast<std::size_t>(A.num_rows) + 1);
    auto const num_coo_entries =
        static_cast<std::size_t>(detail::coo_part_offsets(exec, A, width, coo_offsets));
    F.ell.num_entries = A.nnz() - static_cast<Offset>(num_coo_entries);
    F.ell.width = width;
    F.ell.stride = ceil_div(static_cast<Offset>(A.num_rows), 32) * 32;
    auto const slots = static_cast<std::size_t>(F.ell.stride) * static_cast<std::size_t>(width);
    F.ell.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Hyb::ell::columns", slots);
    F.ell.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Hyb::ell::values", slots);
    detail::fill_slots<false>(exec, F.ell, A);
    F.coo.rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Hyb::coo::rows", num_coo_entries);
    F.coo.columns =
        allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Hyb::coo::columns", num_coo_entries);
    F.coo.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Hyb::coo::values", num_coo_entries);
    detail::expand_rows(exec, coo_offsets, A.num_rows, F.coo.rows);
    detail::fill_coo_part<false>(exec, F.coo, width, A);
    fence(exec, "einkorn::from_csr[hyb]: A may change from here on");
    return F;
  }

 private:
  template <class Exec, class Matrix>
  static typename Matrix::offset_type width_for(Exec const& exec, Matrix const& A, Options const& options) {
    using Offset = typename Matrix::offset_type;
    auto const lengths = row_lengths(exec, A);
    if (options.width == 0) return detail::choose_width(exec, A, lengths, options.fill_limit);
    auto const longest = static_cast<std::uint64_t>(lengths.longest);
    auto const width = std::min(static_cast<std::uint64_t>(options.width), longest);
    auto const rows = static_cast<double>(A.num_rows);
    detail::require_fill("HYB", rows * static_cast<double>(width), static_cast<double>(A.nnz()),
                         options.fill_limit);
    detail::require_stored_fits<Offset>("HYB", (rows + 31.0) * static_cast<double>(width));
    return static_cast<Offset>(width);
  }
};

/// Values of F <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr.
/// Cost: reads the row offsets, reads and writes the values once, and a binary search per entry of the COO
/// part; asynchronous on exec. Checks read A's structure once and fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Hyb<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  if (F.ell.width > 0) detail::fill_slots<true>(exec, F.ell, A);
  detail::fill_coo_part<true>(exec, F.coo, F.ell.width, A);
}

}  // namespace einkorn
