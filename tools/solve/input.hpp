// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <optional>
#include <string>

namespace einkorn::tools {

/// The files of the command line. Each is read once, so it may be a pipe. Does not use Kokkos.
struct InputFiles {
  std::optional<MatrixMarketText> matrix;           // empty if A is generated
  std::optional<MatrixMarketText> right_hand_side;  // empty if b is A times ones

  /// Whether a file has complex values. Throws the exceptions of MatrixMarketText::header().
  [[nodiscard]] bool is_complex() const;
};

/// Reads the files. Throws the exceptions of MatrixMarketText.
/// @param matrix a file or gen:...
/// @param right_hand_side a file, or empty
InputFiles read_input(std::string const& matrix, std::string const& right_hand_side);

/// The entries of b. Throws the exceptions of the parser.
/// @throws DimensionMismatch unless b has num_rows rows and 1 column
template <class Scalar>
Triplets<Scalar, int> parse_right_hand_side(MatrixMarketText const& file, int num_rows) {
  auto triplets = file.parse<Scalar, int>();
  require<DimensionMismatch>(triplets.num_rows == num_rows && triplets.num_cols == 1, [&] {
    return file.name() + ": b is " + std::to_string(triplets.num_rows) + " x " +
           std::to_string(triplets.num_cols) + ", expected " + std::to_string(num_rows) + " x 1";
  });
  return triplets;
}

}  // namespace einkorn::tools
