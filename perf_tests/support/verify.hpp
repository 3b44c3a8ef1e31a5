// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <einkorn/core/scalar.hpp>

namespace einkorn::perf {

/// Error of y relative to A x. `worst` is the largest |y_i - reference_i| / sum_k |a_ik||x_k|. `within_bound`:
/// the error of every row is at most
///
///     ((nnz_i + 2) eps + value_epsilon / 2) sum_k |a_ik||x_k|    (rounding)
///     + 2 (nnz_i + 1) denorm + value_denorm / 2 sum_k |x_k|      (underflow)
///
/// with eps and denorm (the smallest subnormal) of the type of y, and value_epsilon and value_denorm of the
/// type to which the candidate rounds the values (0: not rounded). The second line is the absolute error of
/// products and of rounded values that underflow (Higham, Accuracy and Stability of Numerical Algorithms,
/// section 2.1). Rows without entries must be 0 and no y_i may be NaN.
struct Deviation {
  double worst = 0.0;
  bool within_bound = true;
};

/// A x row by row, summed in double, by a kernel that is independent of the formats.
template <class Scalar, class Ordinal, class Offset>
class Reference {
 public:
  using Sum = sum_type<Scalar, double>;
  explicit Reference(Problem<Scalar, Ordinal, Offset> const& problem);

  /// Runs the candidate once with a y full of NaN, which an SpMV with beta = 0 must overwrite.
  [[nodiscard]] Deviation check(Candidate const& candidate) const;

 private:
  Problem<Scalar, Ordinal, Offset> problem_;
  Kokkos::View<Sum*, Device> y_;           // [num_rows]
  Kokkos::View<double*, Device> scale_;    // [num_rows], sum |a||x|
  Kokkos::View<double*, Device> x_scale_;  // [num_rows], sum |x|
};

/// Entries of a vector: uniform in [-1, 1] by a hash of the index, the same on every backend.
template <class Scalar>
void fill_by_hash(Exec const& exec, DenseVector<Scalar> const& x);

}  // namespace einkorn::perf
