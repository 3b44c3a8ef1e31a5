// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/overlap.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace einkorn::detail {

inline void require_extent(ViewShape const& v, std::size_t dimension, std::size_t expected, char const* name,
                           char const* meaning) {
  require<DimensionMismatch>(v.extent[dimension] == expected, [&] {
    return detail::joined("spmv: ", name, " has extent(", dimension, ") = ", v.extent[dimension], ", expected ",
                          expected, " (", meaning, ")");
  });
}

inline void check_vectors(std::size_t rows_of_op, std::size_t cols_of_op, ViewShape const& x,
                          ViewShape const& y) {
  require_kokkos("spmv");
  require_extent(x, 0, cols_of_op, "x", "columns of op(A)");
  require_extent(y, 0, rows_of_op, "y", "rows of op(A)");
  if (y.rank == 2) {
    require_extent(x, 1, y.extent[1], "x", "as many vectors as y");
    require<InvalidArgument>(y.extent[1] < 2 || y.extent[0] == 0 || y.stride[1] > 0,
                             "spmv: y has stride 0 between its columns");
  }
  require<InvalidArgument>(x.data != nullptr || x.num_entries() == 0, "spmv: x is not allocated");
  require<InvalidArgument>(y.data != nullptr || y.num_entries() == 0, "spmv: y is not allocated");
  require<InvalidArgument>(y.extent[0] < 2 || y.num_entries() == 0 || y.stride[0] > 0,
                           "spmv: y has stride 0 between its entries");
  require_aligned(x, "spmv", "x");
  require_aligned(y, "spmv", "y");
  require<InvalidArgument>(!shape_overlaps_itself(y), [&] {
    std::string text = "spmv: two entries of y share memory (extents and strides:";
    for (std::size_t i = 0; i < y.rank; ++i) text += detail::joined(" ", y.extent[i], " by ", y.stride[i]);
    return text + "), expected one address for each";
  });
  require<InvalidArgument>(!shapes_overlap(x, y), "spmv: x and y overlap in memory");
}

/// The preconditions of every spmv: Kokkos is initialized, shapes match, memory is allocated and aligned, no
/// entry of y shares memory with another entry of y or with x. No device access.
template <class X, class Y>
void check_vectors(std::size_t rows_of_op, std::size_t cols_of_op, X const& x, Y const& y) {
  check_vectors(rows_of_op, cols_of_op, shape_of(x), shape_of(y));
}

/// Throws OverflowError if nnz exceeds the largest Offset less 65536: kernels compute indices up to that far
/// past the last entry.
template <class Offset>
void check_entries(std::size_t nnz) {
  constexpr auto max_entries = static_cast<std::size_t>(std::numeric_limits<Offset>::max()) - 65536;
  require<OverflowError>(nnz <= max_entries, [&] {
    return detail::joined("spmv: ", nnz, " entries are too many for Offset (up to ", max_entries,
                          "); int64_t or size_t would do");
  });
}

[[gnu::noinline]] inline void check_array(char const* name, ViewShape const& array, ViewShape const& y) {
  require_aligned(array, "spmv", name);
  require<InvalidArgument>(!shapes_overlap(y, array), [&] {
    return detail::joined("spmv: y overlaps the ", name, " of the matrix in memory");
  });
}

/// Checks that the arrays of a matrix are aligned and do not overlap y.
template <class Format, class Y>
void check_matrix(Format const& F, Y const& y) {
  F.visit_arrays([y_shape = shape_of(y)](char const* name, auto const& array) {
    check_array(name, shape_of(array), y_shape);
  });
}

/// check_vectors() and check_matrix() for y <- alpha A x + beta y.
template <class Format, class X, class Y>
void check_spmv(Format const& F, X const& x, Y const& y) {
  check_vectors(static_cast<std::size_t>(F.num_rows), static_cast<std::size_t>(F.num_cols), x, y);
  check_matrix(F, y);
}

}  // namespace einkorn::detail
