// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/coo/detail/spmv_entry_parts.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// SpmvEntryParts on the host: one thread per part, row after row; SIMD lanes share a row. The sum of a row
/// that began in an earlier part is stored in carry or, with add_without_carry, left to that part.
template <CooRows target, class Format, class X, class Y, class Sum, class Parts, class Carry>
struct SpmvEntryPartsHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Parts parts;
  Carry carry;  // [num_parts], write-only

  void operator()(Offset part) const {
    Offset k = parts.first_entry(part);
    Offset const end = parts.first_entry(part + 1);
    Ordinal before = parts.row_before(part);
    if (F.rows(k) == before) {
      Offset const next = row_end(k, end);
      if constexpr (target != CooRows::add_without_carry)
        carry(part) = row_dot<Sum, true, false>(F, k, next, x);
      k = next;
    }
    while (k < end) {
      Ordinal const row = F.rows(k);
      Offset const next = row_end(k, target == CooRows::add_without_carry ? parts.num_entries : end);
      Sum const sum = row_dot<Sum, true, false>(F, k, next, x);
      if constexpr (target == CooRows::write) {
        scale_rows(before + 1, row);
        epilogue(y(row), sum);
      } else {
        epilogue.add(y(row), sum);
      }
      before = row;
      k = next;
    }
    if (target == CooRows::write && end == parts.num_entries) scale_rows(before + 1, F.num_rows);
  }

 private:
  /// End of the row of entry k, at most limit. Because rows are sorted, 8 entries are skipped if the last of
  /// them belongs to the row.
  [[nodiscard]] Offset row_end(Offset k, Offset limit) const {
    auto const* const rows = F.rows.data();
    Ordinal const row = rows[k];
    while (limit - k >= 8 && rows[k + 7] == row) k += 8;
    while (k < limit && rows[k] == row) ++k;
    return k;
  }

  void scale_rows(Ordinal begin, Ordinal end) const {
    Epilogue<Sum> const scaling{Sum(0), epilogue.beta};
    for (Ordinal row = begin; row < end; ++row) scaling(y(row), Sum(0));
  }
};

}  // namespace einkorn::detail
