// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>

#include <cstddef>
#include <string>

namespace einkorn::detail {

template <class V>
void require_extent(V const& v, std::size_t dimension, std::size_t expected, char const* name,
                    char const* meaning) {
  require<DimensionMismatch>(v.extent(dimension) == expected, [&] {
    return std::string("spmv: ") + name + " has extent(" + std::to_string(dimension) +
           ") = " + std::to_string(v.extent(dimension)) + ", expected " + std::to_string(expected) + " (" +
           meaning + ")";
  });
}

/// What every spmv asks of its vectors, whatever the format: Kokkos runs, shapes fit, memory is there, y is
/// written once a row and not read through x. Host side, no fence.
template <class X, class Y>
void check_vectors(std::size_t rows_of_op, std::size_t cols_of_op, X const& x, Y const& y) {
  require_kokkos("spmv");
  require_extent(x, 0, cols_of_op, "x", "columns of op(A)");
  require_extent(y, 0, rows_of_op, "y", "rows of op(A)");
  if constexpr (Y::rank() == 2) {
    require_extent(x, 1, y.extent(1), "x", "as many vectors as y");
    require<InvalidArgument>(y.extent(1) < 2 || y.size() == 0 || y.stride(1) > 0, "spmv: y has stride 0 between its columns");
  }
  require<InvalidArgument>(x.data() != nullptr || x.size() == 0, "spmv: x is not allocated");
  require<InvalidArgument>(y.data() != nullptr || y.size() == 0, "spmv: y is not allocated");
  require<InvalidArgument>(y.extent(0) < 2 || y.size() == 0 || y.stride(0) > 0, "spmv: y has stride 0 between its entries");
  require<InvalidArgument>(!overlaps(x, y), "spmv: x and y overlap in memory");
}

/// y must not lie over an array of the matrix.
template <class Y, class Array>
void check_apart(Y const& y, Array const& array, char const* name) {
  require<InvalidArgument>(!overlaps(y, array), [&] {
    return std::string("spmv: y overlaps the ") + name + " of the matrix in memory";
  });
}

}  // namespace einkorn::detail
