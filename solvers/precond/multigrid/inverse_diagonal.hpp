// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/precond/detail/first_fault.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// inverse(i) <- 1 / a_ii, smoother(i) <- the same or, with is_l1, 1 / sum_j |a_ij|; both 1 where that is not
/// finite, which is reported. The maximum of sum_j |a_ij| / |a_ii| bounds the spectral radius of D^-1 A
/// (Gershgorin).
template <class Matrix, class Inverse, class Smoother, class Faults>
struct InvertDiagonal {
  using Ordinal = typename Matrix::ordinal_type;
  Matrix A;
  Inverse inverse;
  Smoother smoother;
  Faults faults;
  bool is_l1;

  KOKKOS_FUNCTION void operator()(Ordinal row, double& largest_ratio) const {
    double diagonal = 0, sum = 0;
    auto const end = A.row_end(row);
    for (auto k = A.row_begin(row); k < end; ++k) {
      auto const value = static_cast<double>(A.values(k));
      if (A.columns(k) == row) diagonal += value;
      sum += Kokkos::fabs(value);
    }
    double const size = Kokkos::fabs(diagonal), ratio = sum / size;
    double const inverted = 1.0 / diagonal, of_row = (diagonal < 0 ? -1.0 : 1.0) / sum;
    auto const smoothing = typename Smoother::non_const_value_type(is_l1 ? of_row : inverted);
    bool const is_finite = Kokkos::isfinite(sum);
    bool const is_regular = is_finite && size > 0 && Kokkos::isfinite(inverted) && Kokkos::isfinite(ratio) &&
                            Kokkos::isfinite(smoothing) && smoothing != 0;
    auto const index = static_cast<std::int64_t>(row);
    if (!is_finite)
      faults.report(Outcome::non_finite, index);
    else if (!is_regular)
      faults.report(Outcome::zero_pivot, index);
    else if (diagonal < 0)
      faults.report(Outcome::indefinite_preconditioner, index);
    inverse(row) = typename Inverse::non_const_value_type(is_regular ? inverted : 1.0);
    smoother(row) = is_regular ? smoothing : typename Smoother::non_const_value_type(1);
    if (is_regular) largest_ratio = Kokkos::fmax(largest_ratio, ratio);
  }
};

/// As InvertDiagonal for all rows of A. Returns the bound of the spectral radius. 1 launch; fences exec.
template <class Exec, class Matrix, class Inverse, class Smoother, class Faults>
double invert_diagonal(Exec const& exec, Matrix const& A, Inverse const& inverse, Smoother const& smoother,
                       Faults const& faults, bool is_l1) {
  using Ordinal = typename Matrix::ordinal_type;
  double largest_ratio = 0;
  if (A.num_rows > 0)
    Kokkos::parallel_reduce(
        "einkorn::Multigrid[diagonal]",
        light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows)),
        InvertDiagonal<Matrix, Inverse, Smoother, Faults>{A, inverse, smoother, faults, is_l1},
        Kokkos::Max<double>(largest_ratio));
  return largest_ratio;
}

}  // namespace einkorn::detail
