// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// inverse(i) <- 1 / a_ii, M(i) <- the same or, with is_l1, 1 / sum_j |a_ij|; both 1 where that is not finite, which
/// is reported. scaled <- the values of M A. The maximum of sum_j |a_ij| / |a_ii| bounds the spectral radius of
/// D^-1 A (Gershgorin).
template <class Matrix, class Inverse, class Smoother, class Faults>
struct ScaleByDiagonal {
  using Ordinal = typename Matrix::ordinal_type;
  using Scalar = typename Smoother::non_const_value_type;
  Matrix A;
  Inverse inverse;
  Smoother M, scaled;
  Faults faults;
  bool is_l1;

  KOKKOS_FUNCTION void operator()(Ordinal row, double& largest_ratio) const {
    double diagonal = 0, sum = 0;
    auto const begin = A.row_begin(row), end = A.row_end(row);
    for (auto k = begin; k < end; ++k) {
      auto const value = static_cast<double>(A.values(k));
      if (A.columns(k) == row) diagonal += value;
      sum += Kokkos::fabs(value);
    }
    double const size = Kokkos::fabs(diagonal), ratio = sum / size;
    double const inverted = 1.0 / diagonal, of_row = (diagonal < 0 ? -1.0 : 1.0) / sum;
    auto const smoothing = Scalar(is_l1 ? of_row : inverted);
    bool const is_finite = Kokkos::isfinite(sum);
    bool const is_regular = is_finite && size > 0 && Kokkos::isfinite(inverted) &&
                            Kokkos::isfinite(Scalar(ratio)) && Kokkos::isfinite(smoothing) && smoothing != 0;
    auto const index = static_cast<std::int64_t>(row);
    if (!is_finite)
      faults.report(Outcome::non_finite, index);
    else if (!is_regular)
      faults.report(Outcome::zero_pivot, index);
    else if (diagonal < 0)
      faults.report(Outcome::indefinite_preconditioner, index);
    Scalar const factor = is_regular ? smoothing : Scalar(1);
    inverse(row) = typename Inverse::non_const_value_type(is_regular ? inverted : 1.0);
    M(row) = factor;
    for (auto k = begin; k < end; ++k)
      scaled(k) = Scalar(static_cast<double>(factor) * static_cast<double>(A.values(k)));
    if (is_regular) largest_ratio = Kokkos::fmax(largest_ratio, ratio);
  }
};

template <class Scalar, class Matrix>
struct ScaledByDiagonal {
  Csr<Scalar, typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::device_type>
      matrix;    // M A
  double bound;  // of the spectral radius of D^-1 A
};

/// As ScaleByDiagonal for all rows of A. The result shares the row offsets and columns of A. 1 allocation, 1 launch;
/// fences exec.
/// @throws OutOfMemory
template <class Exec, class Matrix, class Inverse, class Smoother, class Faults>
auto scale_by_diagonal(Exec const& exec, Matrix const& A, Inverse const& inverse, Smoother const& M,
                       Faults const& faults, bool is_l1) {
  using Ordinal = typename Matrix::ordinal_type;
  using Scalar = typename Smoother::non_const_value_type;
  auto const values = allocate<Smoother>(exec, "einkorn::Multigrid[scaled]", A.values.extent(0));
  double bound = 0;
  if (A.num_rows > 0)
    range_reduce<Ordinal>(
        "einkorn::Multigrid[scale_by_diagonal]", exec, A.num_rows,
        ScaleByDiagonal<Matrix, Inverse, Smoother, Faults>{A, inverse, M, values, faults, is_l1},
        Kokkos::Max<double>(bound));
  return ScaledByDiagonal<Scalar, Matrix>{{A.num_rows, A.num_cols, A.row_offsets, A.columns, values}, bound};
}

}  // namespace einkorn::detail
