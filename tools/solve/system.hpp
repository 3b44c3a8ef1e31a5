// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/input.hpp"
#include "solve/types.hpp"

#include <string>

namespace einkorn::tools {

/// A linear system that was read or generated.
template <class Scalar>
struct System {
  Matrix<Scalar> A;  // sorted and unique rows
  DenseVector<Scalar> b;
  bool solution_is_ones = false;        // b = A times ones
  std::string matrix, right_hand_side;  // as text, for the table
};

/// Reads or generates a system. Without a file of b, b is A times ones. Throws the exceptions of the parser and
/// of the generator.
/// @param matrix the name of files.matrix, or gen:...
/// @throws DimensionMismatch if A is not square or b does not match A
template <class Scalar>
System<Scalar> load_system(Exec const& exec, std::string const& matrix, InputFiles files);

}  // namespace einkorn::tools
