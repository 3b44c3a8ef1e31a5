// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/fingerprint.hpp>

namespace einkorn {

/// True if (j, i) is stored as often as (i, j), for every stored (i, j).
///
/// @param A  of any shape; false unless square. The order within rows does not matter.
/// @throws OutOfMemory
///
/// Cost: two transposes. Compares fingerprints: wrong with a probability of 2^-64.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool has_symmetric_pattern(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  if (A.num_rows != A.num_cols) return false;
  auto const transposed = transpose(exec, A).matrix;  // its rows are sorted, as are those of its transpose
  return fingerprint(exec, transposed) == fingerprint(exec, transpose(exec, transposed).matrix);
}

}  // namespace einkorn
