// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <cstdint>
#include <string>

namespace einkorn::tools {

/// Necessary conditions of CG: A = A^H up to rounding, and a positive diagonal. Definiteness is not checked; CG
/// detects an indefinite A.
struct HermitianCheck {
  bool is_square = true;
  std::int64_t mismatched_rows = 0;       // rows whose columns differ from the same row of A^T
  std::int64_t mismatched_entries = 0;    // |a_ij - conj(a_ji)| > 1e-12 sqrt(a_ii a_jj)
  std::int64_t nonpositive_diagonal = 0;  // a_ii not positive, or not real

  [[nodiscard]] bool allows_cg() const {
    return is_square && mismatched_rows == 0 && mismatched_entries == 0 && nonpositive_diagonal == 0;
  }
  /// "Hermitian with a positive diagonal", or the condition that fails.
  [[nodiscard]] std::string sentence() const;
};

/// Checks the conditions of CG. The tolerance is relative to sqrt(a_ii a_jj), which bounds |a_ij| if A is
/// positive definite, so that the result does not depend on a symmetric scaling of A.
/// @pre the rows of A are sorted
/// @throws OutOfMemory
/// Cost: a transpose and one pass over A and the transpose.
template <class Scalar>
HermitianCheck check_hermitian(Exec const& exec, Matrix<Scalar> const& A);

}  // namespace einkorn::tools
