// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/merge_triangles.hpp>
#include <einkorn/formats/csr/detail/triangle.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn {

struct ExpandSymmetricOptions {
  bool hermitian = false;      ///< the mirrored entries are conjugated
  Checks checks = Checks::on;  ///< validate() the half; its triangle is always checked
};

namespace detail {

template <class Triangles, class Ordinal, class Offsets>
struct FullRowLengths {
  Triangles triangles;
  Offsets offsets;

  KOKKOS_FUNCTION void operator()(Ordinal row) const { offsets(row) = triangles.row_length(row); }
};

template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class Diagonal>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> expand_symmetric(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& half, Diagonal const& diagonal,
    ExpandSymmetricOptions const& options) {
  using Value = std::remove_const_t<Scalar>;
  using Half = Csr<Scalar const, Ordinal, Offset, Device>;
  Kokkos::Profiling::ScopedRegion region("einkorn::expand_symmetric");
  detail::require_square("expand_symmetric", half.num_rows, half.num_cols, "the half");
  if (detail::are_on(options.checks)) validate(exec, half);
  require_full_fits<Offset>(half.values.extent(0), static_cast<std::uint64_t>(half.num_rows));
  auto const first = first_entries(exec, half);
  auto const nnz = half.nnz();
  require<InvalidStructure>(first.below == nnz || first.above == nnz, [&] {
    return "expand_symmetric: entries in both triangles: " + describe_entry(half, first.below) + " and " +
           describe_entry(half, first.above);
  });
  require<InvalidStructure>(!Diagonal::is_separate || first.on == nnz, [&] {
    return "expand_symmetric: the diagonal is given separately, but the half has " +
           describe_entry(half, first.on);
  });

  Half const given = half;
  bool const sorted = is_sorted_by_column(exec, given);
  Half const by_column = transpose(exec, given).matrix;
  Half const by_row = sorted ? given : Half(transpose(exec, by_column).matrix);
  using Triangles = TwoTriangles<Half, Diagonal>;
  Triangles const triangles{by_row, by_column, diagonal, first.below == nnz};
  auto const num_rows = half.num_rows;
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets",
                                                               static_cast<std::size_t>(num_rows) + 1);
  range_for<Ordinal>("einkorn::expand_symmetric[lengths]", exec, num_rows,
                     FullRowLengths<Triangles, Ordinal, Kokkos::View<Offset*, Device>>{triangles, offsets});
  Offset const full_nnz = counts_to_offsets(exec, offsets);
  using Columns = Kokkos::View<Ordinal*, Device>;
  using Values = Kokkos::View<Value*, Device>;
  auto const columns = allocate<Columns>(exec, "einkorn::Csr::columns", static_cast<std::size_t>(full_nnz));
  auto const values = allocate<Values>(exec, "einkorn::Csr::values", static_cast<std::size_t>(full_nnz));
  using Offsets = Kokkos::View<Offset*, Device>;
  if (options.hermitian)
    range_for<Offset>("einkorn::expand_symmetric", exec, full_nnz,
                      MergeTriangles<is_complex<Value>, Triangles, Offsets, Columns, Values>{
                          triangles, num_rows, offsets, columns, values});
  else
    range_for<Offset>("einkorn::expand_symmetric", exec, full_nnz,
                      MergeTriangles<false, Triangles, Offsets, Columns, Values>{triangles, num_rows, offsets,
                                                                                 columns, values});
  exec.fence("einkorn::expand_symmetric: the half may change from here on");
  return {num_rows, num_rows, offsets, columns, values};
}

}  // namespace detail

/// The full symmetric matrix of a stored triangle: A = H + (H without its diagonal)^T, or its conjugate with
/// options.hermitian. An SpMV with A needs no atomics, unlike one with H.
///
/// @param half H, n x n: a lower or an upper triangle with the diagonal; its rows need not be sorted
/// @throws DimensionMismatch if H is not square
/// @throws InvalidStructure for options.checks, and for entries in both triangles (names one of each)
/// @throws OverflowError if 2 nnz + n exceeds Offset
/// @throws OutOfMemory
///
/// The rows of A are sorted. Repeated positions and stored zeros are kept, in their order, and mirrored; a
/// missing diagonal entry of H is missing in A. The diagonal is copied, imaginary parts included. A shares no
/// memory with H.
///
/// Cost: a transpose of H, two if its rows are not sorted; one pass for the triangle check; one thread per
/// entry of A, with log2(n) reads. Fences exec. Deterministic, the same on every backend. Source: Huang, Ding &
/// Luo, J. South China Univ. of Technology 43(11), 2015, section 1.2, one sequential pass; departure: a
/// parallel transpose.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> expand_symmetric(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& half,
    ExpandSymmetricOptions const& options = {}) {
  require_kokkos("expand_symmetric");
  return detail::expand_symmetric(exec, half, detail::IncludedDiagonal{}, options);
}

/// expand_symmetric() with a separate diagonal [n], all of whose values, zeros included, are stored in A.
/// @throws DimensionMismatch also for the extent of the diagonal
/// @throws InvalidStructure also if H has a diagonal entry, which the message names
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, Vector Diagonal>
requires AccessibleFrom<Diagonal, Exec> && (Diagonal::rank() == 1) &&
         std::is_convertible_v<typename Diagonal::non_const_value_type, std::remove_const_t<Scalar>>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> expand_symmetric(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& half, Diagonal const& diagonal,
    ExpandSymmetricOptions const& options = {}) {
  require_kokkos("expand_symmetric");
  require<DimensionMismatch>(diagonal.extent(0) == static_cast<std::size_t>(half.num_rows), [&] {
    return "expand_symmetric: diagonal has extent(0) = " + std::to_string(diagonal.extent(0)) + ", expected " +
           std::to_string(half.num_rows) + " (rows of the half)";
  });
  return detail::expand_symmetric(exec, half, detail::SeparateDiagonal<Diagonal>{diagonal}, options);
}

/// Former names, kept for one release.
using FullFromHalfOptions [[deprecated("use ExpandSymmetricOptions")]] = ExpandSymmetricOptions;
template <ExecutionSpace Exec, CsrMatrix Half>
[[deprecated("use expand_symmetric")]] auto full_from_half(Exec const& exec, Half const& half,
                                                           ExpandSymmetricOptions const& options = {}) {
  return expand_symmetric(exec, half, options);
}
template <ExecutionSpace Exec, CsrMatrix Half, Vector Diagonal>
[[deprecated("use expand_symmetric")]] auto full_from_half(Exec const& exec, Half const& half,
                                                           Diagonal const& diagonal,
                                                           ExpandSymmetricOptions const& options = {}) {
  return expand_symmetric(exec, half, diagonal, options);
}

}  // namespace einkorn
