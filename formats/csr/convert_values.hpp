// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

namespace einkorn {

namespace detail {

/// Whether a finite value is not finite in the target type.
template <class Values, class Converted>
struct Overflows {
  Values values;
  Converted converted;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index k) const {
    return has_finite_parts(values(k)) && !has_finite_parts(converted(k));
  }
};

/// converted(k) <- values(k).
template <class Values, class Converted>
struct ConvertValues {
  using Target = typename Converted::non_const_value_type;

  Values values;
  Converted converted;

  KOKKOS_FUNCTION void operator()(std::size_t k) const { converted(k) = Target(values(k)); }
};

template <class Exec, class Values, class Converted>
void launch_convert_values(Exec const& exec, Values const& values, Converted const& converted) {
  range_for<std::size_t>("einkorn::convert_values", exec, values.extent(0),
                         ConvertValues<Values, Converted>{values, converted});
}

template <class Scalar>
std::string to_text(Scalar const& value) {
  char text[96];
  if constexpr (is_complex<Scalar>)
    std::snprintf(text, sizeof text, "(%.17g, %.17g)", static_cast<double>(value.real()),
                  static_cast<double>(value.imag()));
  else
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
  return text;
}

}  // namespace detail

/// A with its values in another precision, for example float(a_ij) for convert_values<float>(exec, A): a CSR
/// that shares A's row_offsets and columns. Formats made of it store 4 bytes per value instead of 8, while
/// products with x and y in double are computed in double (sum_type): the only error is the rounding of the
/// values.
///
/// Rounds to nearest: for float a relative error of at most 2^-24 per entry, so |(A' - A) x|_i <= 2^-24 sum_j
/// |a_ij||x_j|; below 2^-126 an absolute error of at most 2^-150. NaN and infinity are kept. Both parts of
/// complex values are rounded. update_values of a format in float rounds in the same way, without the overflow
/// check.
///
/// @throws OverflowError if a finite value becomes infinite; names the first such entry, its row and its value
/// @throws OutOfMemory
///
/// Cost: 1 allocation; reads the values twice, writes the converted ones and reads them once. Fences exec.
template <class Target, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Target, Ordinal, Offset, Device> convert_values(Exec const& exec,
                                                    Csr<Scalar, Ordinal, Offset, Device> const& A) {
  static_assert(is_complex<Target> == is_complex<Scalar>,
                "einkorn::convert_values: real values stay real, complex ones complex");
  require_kokkos("convert_values");
  using Values = decltype(A.values);
  auto const values =
      allocate<Kokkos::View<Target*, Device>>(exec, "einkorn::convert_values", A.values.extent(0));
  detail::launch_convert_values(exec, A.values, values);
  using Overflow = detail::Overflows<Values, Kokkos::View<Target*, Device>>;
  Offset const k =
      detail::first_bad(exec, "einkorn::convert_values[overflow]", A.nnz(), Overflow{A.values, values});
  require<OverflowError>(k == A.nnz(), [&] {
    auto const row = detail::read_row_of_entry(A, k);
    return "convert_values: entry " + std::to_string(k) + " in row " + std::to_string(row) + " is " +
           detail::to_text(detail::read_one(A.values, static_cast<std::size_t>(k))) +
           ", too large for the narrower type";
  });
  return {A.num_rows, A.num_cols, A.row_offsets, A.columns, values};
}

template <class Target, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto convert_values(Exec const& exec, Matrix const& A) {
  return convert_values<Target>(exec, as_csr(A));
}

}  // namespace einkorn
