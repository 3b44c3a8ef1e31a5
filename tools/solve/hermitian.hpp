// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <cstdint>
#include <string>

namespace einkorn::tools {

/// Whether CG may be tried: A = A^H up to rounding, and a positive diagonal. That A is definite it does not
/// say; CG itself finds out.
struct HermitianFinding {
  bool is_square = true;
  std::int64_t other_rows = 0;      // rows whose columns are not those of the same row of A^T
  std::int64_t other_entries = 0;   // |a_ij - conj(a_ji)| > 1e-12 sqrt(a_ii a_jj)
  std::int64_t other_diagonal = 0;  // a_ii not positive, or not real

  [[nodiscard]] bool suits_cg() const {
    return is_square && other_rows == 0 && other_entries == 0 && other_diagonal == 0;
  }
  /// "Hermitian with a positive diagonal", or what it is not.
  [[nodiscard]] std::string sentence() const;
};

/// Rows of A have to be sorted. sqrt(a_ii a_jj), which bounds |a_ij| if A is positive definite, makes it
/// independent of how A is scaled. Cost: a transpose and one pass over both. Throws OutOfMemory.
template <class Scalar>
HermitianFinding look_for_symmetry(Exec const& exec, Matrix<Scalar> const& A);

}  // namespace einkorn::tools
