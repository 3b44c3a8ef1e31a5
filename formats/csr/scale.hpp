// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/rows_by_warps.hpp>
#include <einkorn/formats/csr/same_structure.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

namespace detail {

template <class V>
concept ScalingVector = Vector<V> && V::rank() == 1 && !is_complex<typename V::non_const_value_type>;

/// Scales the entries lane, lane + lanes, .. of a row. Factors and products are at least double: left_i right_j
/// of floats cannot overflow.
template <class Exec, class Matrix, class Left, class Right, class Values>
struct ScaleRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Target = typename Values::non_const_value_type;
  using Sum = sum_type<typename Matrix::scalar_type, double>;
  using Real = real_type<Sum>;

  Matrix A;
  Left left;
  Right right;
  Values values;

  KOKKOS_FUNCTION void operator()(Ordinal row, int lane) const {
    constexpr int lanes = Lanes<Exec>::size;
    Real const row_factor = left.extent(0) == 0 ? Real(1) : static_cast<Real>(left(row));
    bool const has_right = right.extent(0) != 0;
    Offset const begin = A.row_begin(row), length = A.row_end(row) - begin;
    for (auto i = static_cast<Offset>(lane); i < length; i += static_cast<Offset>(lanes)) {
      Offset const k = begin + i;
      Real const factor = has_right ? row_factor * static_cast<Real>(right(A.columns(k))) : row_factor;
      values(k) = Target(Sum(A.values(k)) * factor);
    }
  }
};

template <class Matrix, class V>
void require_scaling(Matrix const& A, V const& vector, bool is_left) {
  auto const expected = static_cast<std::size_t>(is_left ? A.num_rows : A.num_cols);
  require<DimensionMismatch>(vector.extent(0) == expected || vector.extent(0) == 0, [&] {
    return std::string("scale_rows_and_columns: ") + (is_left ? "left" : "right") +
           " has extent(0) = " + std::to_string(vector.extent(0)) + ", expected " + std::to_string(expected) +
           " (" + (is_left ? "rows" : "columns") + " of A), or 0 for factors of 1";
  });
}

template <class Exec, class Left, class Matrix, class Right, class Values>
void scale_values(Exec const& exec, Left const& left, Matrix const& A, Right const& right,
                  Values const& values) {
  for_each_row(exec, "einkorn::scale_rows_and_columns", A.num_rows,
               ScaleRow<Exec, Matrix, Left, Right, Values>{A, left, right, values});
}

}  // namespace detail

/// B = diag(left) A diag(right), b_ij = a_ij (left_i right_j): a Csr with new values that shares A's
/// row_offsets and columns.
///
/// @param left [num_rows], or [0] for factors of 1; real
/// @param right [num_cols], or [0] for factors of 1; real
/// @throws DimensionMismatch for extents
/// @throws OutOfMemory
///
/// @pre A is valid (validate()). The factors are multiplied first, so with left == right a symmetric or
/// Hermitian A gives an exactly symmetric or Hermitian B; their product must be within the range of double, in
/// which all is computed before rounding to Scalar. Repeated positions are scaled individually; stored zeros
/// are kept. Cost: reads A, left and, per entry, right; writes nnz values. 1 allocation (nnz Scalars), 1
/// launch, asynchronous.
template <ExecutionSpace Exec, detail::ScalingVector Left, class Scalar, class Ordinal, class Offset,
          class Device, detail::ScalingVector Right>
requires AccessibleFrom<Left, Exec> && AccessibleFrom<Right, Exec>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> scale_rows_and_columns(
    Exec const& exec, Left const& left, Csr<Scalar, Ordinal, Offset, Device> const& A, Right const& right) {
  require_kokkos("scale_rows_and_columns");
  detail::require_scaling(A, left, true);
  detail::require_scaling(A, right, false);
  using Values = Kokkos::View<std::remove_const_t<Scalar>*, Device>;
  auto const values = allocate<Values>(exec, "einkorn::Csr::values", A.values.extent(0));
  detail::scale_values(exec, left, A, right, values);
  return {A.num_rows, A.num_cols, A.row_offsets, A.columns, values};
}

template <ExecutionSpace Exec, detail::ScalingVector Left, CrsMatrixLike Matrix, detail::ScalingVector Right>
auto scale_rows_and_columns(Exec const& exec, Left const& left, Matrix const& A, Right const& right) {
  return scale_rows_and_columns(exec, left, as_csr(A), right);
}

/// B.values <- values of diag(left) A diag(right), for new values or factors. B has the structure of A, for
/// example from scale_rows_and_columns(), and may be A.
///
/// @throws DimensionMismatch for extents
/// @throws StalePlan if the structures differ (with Checks::off: the sizes)
/// @throws InvalidArgument if B's values overlap other arrays of A, a factor, or A's values without being the
/// same
///
/// Cost: as scale_rows_and_columns(), without the allocation. Asynchronous, except that Checks::on reads both
/// structures and fences exec if B does not share A's row_offsets and columns.
template <ExecutionSpace Exec, detail::ScalingVector Left, class From, class Scalar, class Ordinal,
          class Offset, class Device, detail::ScalingVector Right>
requires(AccessibleFrom<Left, Exec> && AccessibleFrom<Right, Exec> && !std::is_const_v<Scalar> &&
         (is_complex<Scalar> || !is_complex<From>))
void update_scaled_values(Exec const& exec, Left const& left, Csr<From, Ordinal, Offset, Device> const& A,
                          Right const& right, Csr<Scalar, Ordinal, Offset, Device> const& B,
                          Checks checks = Checks::on) {
  require_kokkos("update_scaled_values");
  detail::require_scaling(A, left, true);
  detail::require_scaling(A, right, false);
  bool const shared = A.row_offsets.data() == B.row_offsets.data() && A.columns.data() == B.columns.data();
  if (shared) checks = Checks::off;
  detail::require_structure_of(
      exec, detail::are_on(checks) ? fingerprint(exec, B) : detail::empty_fingerprint(B), A, checks);
  bool const in_place = sizeof(From) == sizeof(Scalar) &&
                        static_cast<void const*>(A.values.data()) == static_cast<void const*>(B.values.data());
  detail::require_aligned(B.values, "update_scaled_values", "the values of B");
  require<InvalidArgument>(in_place || !overlaps(A.values, B.values),
                           "update_scaled_values: the values of A and B overlap in memory");
  require<InvalidArgument>(!overlaps(A.row_offsets, B.values) && !overlaps(A.columns, B.values),
                           "update_scaled_values: the values of B overlap the row_offsets or columns of A");
  require<InvalidArgument>(!overlaps(left, B.values) && !overlaps(right, B.values),
                           "update_scaled_values: a scaling vector overlaps the values of B in memory");
  detail::scale_values(exec, left, A, right, B.values);
}

}  // namespace einkorn
