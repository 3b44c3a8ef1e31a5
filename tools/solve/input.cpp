// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/input.hpp"

#include <einkorn/formats/generate/generator_spec.hpp>

namespace einkorn::tools {

namespace {

bool has_complex_field(std::optional<MatrixMarketText> const& file) {
  return file && file->header().field == MatrixMarketField::complex;
}

}  // namespace

bool InputFiles::is_complex() const {
  bool const complex_matrix = has_complex_field(matrix);
  return has_complex_field(right_hand_side) || complex_matrix;
}

InputFiles read_input(std::string const& matrix, std::string const& right_hand_side) {
  InputFiles files;
  if (!is_generator_spec(matrix)) files.matrix.emplace(matrix);
  if (!right_hand_side.empty()) files.right_hand_side.emplace(right_hand_side);
  return files;
}

}  // namespace einkorn::tools
