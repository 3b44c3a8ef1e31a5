// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/report.hpp>

#include <cstdint>

namespace einkorn {

/// What the set-up of a preconditioner found in the matrix: converged where nothing is wrong; zero_pivot or
/// non_finite where M^-1 could not be formed; indefinite_preconditioner where it could, but M is certainly not
/// Hermitian positive definite. The first outweighs the last; of one kind the lowest row is named.
struct SetupStatus {
  Outcome outcome = Outcome::converged;
  std::int64_t row = -1;  ///< -1: none

  /// M^-1 is there, if not for methods that need a definite M.
  [[nodiscard]] bool usable() const {
    return outcome == Outcome::converged || outcome == Outcome::indefinite_preconditioner;
  }
};

}  // namespace einkorn
