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

/// Row i of A against row i of A^T, both sorted.
template <class Scalar>
struct CompareRows {
  Matrix<Scalar> A, transposed;
  DenseVector<Scalar> diagonal;

  KOKKOS_FUNCTION void operator()(int row, std::int64_t& rows, std::int64_t& entries,
                                  std::int64_t& diagonals) const {
    constexpr double tolerance = 1e-12;
    Scalar const d = diagonal(row);
    double const own = real_part(d);
    if (!(own > 0) || !(Kokkos::abs(d - conjugate(d)) <= tolerance * own)) ++diagonals;
    int const begin = A.row_begin(row), length = A.row_end(row) - begin, other = transposed.row_begin(row);
    bool same = transposed.row_end(row) - other == length;
    for (int k = 0; same && k < length; ++k) same = A.columns(begin + k) == transposed.columns(other + k);
    if (!same) {
      ++rows;
      return;
    }
    for (int k = 0; k < length; ++k) {
      double const scale =
          Kokkos::sqrt(Kokkos::abs(own)) * Kokkos::sqrt(Kokkos::abs(real_part(diagonal(A.columns(begin + k)))));
      if (!(Kokkos::abs(A.values(begin + k) - conjugate(transposed.values(other + k))) <= tolerance * scale))
        ++entries;
    }
  }
};

std::string count_of(std::int64_t count, std::string const& one, std::string const& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string HermitianFinding::sentence() const {
  if (!is_square) return "not square";
  if (suits_cg()) return "Hermitian with a positive diagonal";
  std::string text =
      other_rows > 0
          ? "not Hermitian: " + count_of(other_rows, "row has", "rows have") + " other columns in the transpose"
      : other_entries > 0 ? "not Hermitian: " + count_of(other_entries, "entry differs", "entries differ") +
                                " from the mirror image"
                          : std::string("Hermitian");
  if (other_diagonal > 0)
    text += std::string(other_rows + other_entries > 0 ? "; " : ", but ") +
            count_of(other_diagonal, "diagonal entry is", "diagonal entries are") + " not positive";
  return text;
}

template <class Scalar>
HermitianFinding look_for_symmetry(Exec const& exec, Matrix<Scalar> const& A) {
  HermitianFinding finding;
  finding.is_square = A.num_rows == A.num_cols;
  if (!finding.is_square) return finding;
  DenseVector<Scalar> const diagonal("einkorn::tools::diagonal", static_cast<std::size_t>(A.num_rows));
  extract_diagonal(exec, A, diagonal);
  CompareRows<Scalar> const compare{A, transpose(exec, A).matrix, diagonal};
  Kokkos::parallel_reduce("einkorn::tools::look_for_symmetry",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, A.num_rows), compare,
                          finding.other_rows, finding.other_entries, finding.other_diagonal);
  exec.fence("einkorn::tools::look_for_symmetry");
  return finding;
}

template HermitianFinding look_for_symmetry(Exec const&, Matrix<double> const&);
template HermitianFinding look_for_symmetry(Exec const&, Matrix<Kokkos::complex<double>> const&);

}  // namespace einkorn::tools
