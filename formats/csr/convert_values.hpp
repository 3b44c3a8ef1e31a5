// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

namespace einkorn {

namespace detail {

/// A finite value that is none in the narrower type.
template <class Values, class Narrowed>
struct NoLongerFinite {
  Values values;
  Narrowed narrowed;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index k) const {
    return has_finite_parts(values(k)) && !has_finite_parts(narrowed(k));
  }
};

template <class Values, class Narrowed>
struct NarrowValues {
  using Narrow = typename Narrowed::non_const_value_type;

  Values values;
  Narrowed narrowed;

  KOKKOS_FUNCTION void operator()(std::size_t k) const { narrowed(k) = Narrow(values(k)); }
};

template <class Exec, class Values, class Narrowed>
void round_values(Exec const& exec, Values const& values, Narrowed const& narrowed) {
  Kokkos::parallel_for("einkorn::convert_values",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, values.extent(0)),
                       NarrowValues<Values, Narrowed>{values, narrowed});
}

template <class Scalar>
std::string text_of(Scalar const& value) {
  char text[96];
  if constexpr (is_complex<Scalar>)
    std::snprintf(text, sizeof text, "(%.17g, %.17g)", static_cast<double>(value.real()),
                  static_cast<double>(value.imag()));
  else
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
  return text;
}

}  // namespace detail

/// A with values of another precision, float(a_ij) for convert_values<float>(exec, A): a CSR that shares A's
/// row_offsets and columns. Any format made of it keeps 4 bytes a value instead of 8, while its products with x
/// and y in double are formed and added up in double (sum_type): what is lost is the rounding of the values.
///
/// Rounds to nearest: a relative error of at most 2^-24 an entry in float, so that |(A' - A) x|_i <= 2^-24
/// sum_j |a_ij||x_j|; below 2^-126 an absolute one of at most 2^-150. NaN and infinity stay what they are.
/// A complex Narrow rounds both parts. update_values of a format in float rounds the values of a CSR in double
/// in the same way, but looks for no overflow. Cost: reads the values, writes the narrow ones and reads both
/// once more. Fences exec. Throws OverflowError where a finite value would become infinite (it names the first
/// such entry, its row and its value), OutOfMemory.
template <class Narrow, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Narrow, Ordinal, Offset, Device> convert_values(Exec const& exec,
                                                    Csr<Scalar, Ordinal, Offset, Device> const& A) {
  static_assert(is_complex<Narrow> == is_complex<Scalar>,
                "einkorn::convert_values: real values stay real, complex ones complex");
  require_kokkos("convert_values");
  using Values = decltype(A.values);
  auto const values =
      allocate<Kokkos::View<Narrow*, Device>>(exec, "einkorn::convert_values", A.values.extent(0));
  detail::round_values(exec, A.values, values);
  using Overflow = detail::NoLongerFinite<Values, Kokkos::View<Narrow*, Device>>;
  Offset const k =
      detail::first_bad(exec, "einkorn::convert_values[overflow]", A.nnz(), Overflow{A.values, values});
  require<OverflowError>(k == A.nnz(), [&] {
    Ordinal low = 0, high = A.num_rows;  // of the row of entry k, read from the device number by number
    while (high - low > 1) {
      Ordinal const middle = low + (high - low) / 2;
      (detail::read_one(A.row_offsets, static_cast<std::size_t>(middle)) <= k ? low : high) = middle;
    }
    return "convert_values: entry " + std::to_string(k) + " in row " + std::to_string(low) + " is " +
           detail::text_of(detail::read_one(A.values, static_cast<std::size_t>(k))) +
           ", too large for the narrower type";
  });
  return {A.num_rows, A.num_cols, A.row_offsets, A.columns, values};
}

template <class Narrow, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto convert_values(Exec const& exec, Matrix const& A) {
  return convert_values<Narrow>(exec, as_csr(A));
}

}  // namespace einkorn
