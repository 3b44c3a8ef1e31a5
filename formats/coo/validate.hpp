// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>

namespace einkorn {

namespace detail {

/// Checks the sizes of a Coo and its arrays, on the host.
template <class Format>
void check_coo_sizes(Format const& F) {
  using Offset = typename Format::offset_type;
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return detail::joined("Coo: negative size ", F.num_rows, " x ", F.num_cols);
  });
  require<InvalidStructure>(F.rows.extent(0) == F.values.extent(0) && F.columns.extent(0) == F.values.extent(0),
                            [&] {
                              return detail::joined("Coo: rows has ", F.rows.extent(0), " entries, columns ",
                                                    F.columns.extent(0), ", values ", F.values.extent(0));
                            });
  require<OverflowError>(F.values.extent(0) <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()),
                         [&] {
                           return detail::joined("Coo: ", F.values.extent(0),
                                                 " entries do not fit Offset; int64_t or size_t would do");
                         });
}

}  // namespace detail

/// Checks the invariants of Coo.
/// @throws InvalidStructure, naming the first invalid entry and its value
/// @throws OverflowError if the number of entries does not fit Offset
/// Cost: on the device; reads rows twice and columns once, copies a few numbers to the host, fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Coo<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  detail::check_coo_sizes(F);
  if (F.nnz() == 0) return;
  auto const at = [](auto const& view, Offset k) {
    return detail::read_one(view, static_cast<std::size_t>(k));
  };
  fence(exec, "einkorn::validate: what fills the matrix on exec has run");
  using Decreases = detail::Decreases<decltype(F.rows)>;
  auto const last = static_cast<Offset>(F.nnz() - 1);
  auto const unsorted = detail::first_bad(exec, "einkorn::validate[coo,order]", last, Decreases{F.rows});
  require<InvalidStructure>(unsorted == last, [&] {
    return detail::joined("Coo: rows decreases after entry ", unsorted, ": ", at(F.rows, unsorted), " to ",
                          at(F.rows, unsorted + 1));
  });
  using OutOfRange = detail::OutOfRange<decltype(F.rows), Ordinal>;
  auto const row =
      detail::first_bad(exec, "einkorn::validate[coo,rows]", F.nnz(), OutOfRange{F.rows, F.num_rows});
  require<InvalidStructure>(row == F.nnz(), [&] {
    return detail::joined("Coo: entry ", row, " has row ", at(F.rows, row), ", expected 0 .. ", F.num_rows,
                          " - 1");
  });
  auto const column =
      detail::first_bad(exec, "einkorn::validate[coo,columns]", F.nnz(), OutOfRange{F.columns, F.num_cols});
  require<InvalidStructure>(column == F.nnz(), [&] {
    return detail::joined("Coo: entry ", column, " has column ", at(F.columns, column), ", expected 0 .. ",
                          F.num_cols, " - 1");
  });
}

}  // namespace einkorn
