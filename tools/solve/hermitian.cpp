// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/hermitian.hpp"

#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::tools {

namespace {

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION double real_part(Scalar const& value) {
  if constexpr (is_complex<Scalar>)
    return value.real();
  else
    return value;
}

/// Compares row i of A with row i of A^T, both sorted.
template <class Scalar>
struct CompareRows {
  Matrix<Scalar> A, transposed;
  DenseVector<Scalar> diagonal;

  KOKKOS_FUNCTION void operator()(int row, std::int64_t& rows, std::int64_t& entries,
                                  std::int64_t& diagonals) const {
    constexpr double tolerance = 1e-12;
    Scalar const d = diagonal(row);
    double const diagonal_value = real_part(d);
    if (!(diagonal_value > 0) || !(Kokkos::abs(d - conjugate(d)) <= tolerance * diagonal_value)) ++diagonals;
    int const begin = A.row_begin(row), length = A.row_end(row) - begin, other = transposed.row_begin(row);
    bool same = transposed.row_end(row) - other == length;
    for (int k = 0; same && k < length; ++k) same = A.columns(begin + k) == transposed.columns(other + k);
    if (!same) {
      ++rows;
      return;
    }
    for (int k = 0; k < length; ++k) {
      double const scale = Kokkos::sqrt(Kokkos::abs(diagonal_value)) *
                           Kokkos::sqrt(Kokkos::abs(real_part(diagonal(A.columns(begin + k)))));
      if (!(Kokkos::abs(A.values(begin + k) - conjugate(transposed.values(other + k))) <= tolerance * scale))
        ++entries;
    }
  }
};

std::string count_of(std::int64_t count, std::string const& one, std::string const& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string HermitianCheck::sentence() const {
  if (!is_square) return "not square";
  if (allows_cg()) return "Hermitian with a positive diagonal";
  std::string text = mismatched_rows > 0
                         ? "not Hermitian: " + count_of(mismatched_rows, "row has", "rows have") +
                               " other columns in the transpose"
                     : mismatched_entries > 0
                         ? "not Hermitian: " + count_of(mismatched_entries, "entry differs", "entries differ") +
                               " from the conjugate transpose"
                         : std::string("Hermitian");
  if (nonpositive_diagonal > 0)
    text += std::string(mismatched_rows + mismatched_entries > 0 ? "; " : ", but ") +
            count_of(nonpositive_diagonal, "diagonal entry is", "diagonal entries are") + " not positive";
  return text;
}

template <class Scalar>
HermitianCheck check_hermitian(Exec const& exec, Matrix<Scalar> const& A) {
  HermitianCheck check;
  check.is_square = A.num_rows == A.num_cols;
  if (!check.is_square) return check;
  DenseVector<Scalar> const diagonal("einkorn::tools::diagonal", static_cast<std::size_t>(A.num_rows));
  extract_diagonal(exec, A, diagonal);
  CompareRows<Scalar> const compare{A, transpose(exec, A).matrix, diagonal};
  Kokkos::parallel_reduce("einkorn::tools::check_hermitian",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, A.num_rows), compare,
                          check.mismatched_rows, check.mismatched_entries, check.nonpositive_diagonal);
  exec.fence("einkorn::tools::check_hermitian");
  return check;
}

template HermitianCheck check_hermitian(Exec const&, Matrix<double> const&);
template HermitianCheck check_hermitian(Exec const&, Matrix<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
