// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <string>

namespace einkorn::tools {

/// What is read or generated.
template <class Scalar>
struct System {
  Matrix<Scalar> A;  // sorted rows, each position once
  DenseVector<Scalar> b;
  bool solution_is_ones = false;        // x = 1 solves it
  std::string matrix, right_hand_side;  // in words, for the table
};

/// Whether a file that is named holds complex numbers. Throws what the reader throws.
bool is_complex_system(std::string const& matrix, std::string const& right_hand_side);

/// matrix: a file, or gen:...; right_hand_side: a file with one column, or empty for A times ones. Throws what
/// reader and generator throw; DimensionMismatch where b does not fit A.
template <class Scalar>
System<Scalar> load_system(Exec const& exec, std::string const& matrix, std::string const& right_hand_side);

}  // namespace einkorn::tools
