// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/input.hpp"
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

/// matrix: the name of a file that `files` holds, or gen:... . b is A times ones where there is no file of it.
/// Throws what parser and generator throw; DimensionMismatch where b does not fit A.
template <class Scalar>
System<Scalar> load_system(Exec const& exec, std::string const& matrix, InputFiles files);

}  // namespace einkorn::tools
