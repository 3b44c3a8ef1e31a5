// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// For update(): A is square and has as many rows as the matrix of the setup.
template <class Matrix>
void require_size(char const* operation, std::int64_t num_rows, Matrix const& A) {
  require_square(operation, A.num_rows, A.num_cols);
  require<DimensionMismatch>(static_cast<std::int64_t>(A.num_rows) == num_rows, [&] {
    return detail::joined(operation, ": made for a matrix of ", num_rows, " rows, given one of ", A.num_rows);
  });
}

/// Whether r and z are the same vector in memory.
template <class R, class Z>
bool is_same_vector(R const& r, Z const& z) {
  return std::is_same_v<typename R::non_const_value_type, typename Z::non_const_value_type> &&
         static_cast<void const*>(r.data()) == static_cast<void const*>(z.data()) && r.stride(0) == z.stride(0);
}

/// Checks of every apply(), z <- M^-1 r: extents; z does not overlap r, or is r if the preconditioner works in
/// place.
template <class R, class Z>
void check_apply(char const* operation, std::int64_t num_rows, R const& r, Z const& z, bool in_place) {
  require_kokkos(operation);
  auto const require_extent = [&](std::size_t extent, char const* name) {
    require<DimensionMismatch>(extent == static_cast<std::size_t>(num_rows), [&] {
      return detail::joined(operation, ": ", name, " has extent(0) = ", extent, ", expected ", num_rows,
                            " (rows of the matrix)");
    });
  };
  require_extent(r.extent(0), "r");
  require_extent(z.extent(0), "z");
  require_aligned(r, operation, "r");
  require_aligned(z, operation, "z");
  require<InvalidArgument>(!overlaps_itself(z), [&] {
    return detail::joined(operation, ": two entries of z share memory (stride 0)");
  });
  require<InvalidArgument>((in_place && is_same_vector(r, z)) || !overlaps(r, z), [&] {
    return detail::joined(operation, ": r and z overlap in memory",
                          (in_place ? " and are not the same vector" : ""));
  });
}

}  // namespace einkorn::detail
