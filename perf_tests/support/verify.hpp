// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <einkorn/core/scalar.hpp>

namespace einkorn::perf {

/// How far a y is from A x. `worst` is the largest |y_i - reference_i| / sum_k |a_ik||x_k|. `within_bound`: no
/// row is further off than (nnz_i + 2) eps sum_k |a_ik||x_k|, so rows without entries are zero and no y_i is
/// NaN. A candidate that rounds values may add half their epsilon to (nnz_i + 2) eps, which stays that of the
/// sums.
struct Deviation {
  double worst = 0.0;
  bool within_bound = true;
};

/// A x row by row, summed in double, by a kernel that shares nothing with any format's.
template <class Scalar, class Ordinal, class Offset>
class Reference {
 public:
  using Sum = sum_type<Scalar, double>;
  explicit Reference(Problem<Scalar, Ordinal, Offset> const& problem);

  /// Runs the candidate once on a y full of NaN, which an SpMV with beta = 0 has to overwrite.
  [[nodiscard]] Deviation check(Candidate const& candidate) const;

 private:
  Problem<Scalar, Ordinal, Offset> problem_;
  Kokkos::View<Sum*, Device> y_;         // [num_rows]
  Kokkos::View<double*, Device> scale_;  // [num_rows], sum |a||x|
};

/// Entries of a vector: uniform in [-1, 1] by a hash of the index, the same on every backend.
template <class Scalar>
void fill_by_hash(Exec const& exec, DenseVector<Scalar> const& x);

}  // namespace einkorn::perf
