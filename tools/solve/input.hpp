// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <optional>
#include <string>

namespace einkorn::tools {

/// The files that a command line names, each read once: they may be pipes. Without Kokkos.
struct InputFiles {
  std::optional<MatrixMarketText> matrix;           // nothing where A is generated
  std::optional<MatrixMarketText> right_hand_side;  // nothing where b is A times ones

  /// Whether a file holds complex numbers. Throws what MatrixMarketText::header() throws.
  [[nodiscard]] bool is_complex() const;
};

/// matrix: a file, or gen:...; right_hand_side: a file, or empty. Throws what MatrixMarketText throws.
InputFiles read_input(std::string const& matrix, std::string const& right_hand_side);

/// The entries of b. Throws what the parser throws; DimensionMismatch unless b has num_rows rows and 1 column.
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
