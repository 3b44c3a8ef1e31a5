// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/fingerprint.hpp>

namespace einkorn {

/// Whether (j, i) is stored for every stored (i, j), as often; the order within rows does not matter. Cost: two
/// transposes. Throws OutOfMemory.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool has_symmetric_pattern(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  if (A.num_rows != A.num_cols) return false;
  auto const transposed = transpose(exec, A).matrix;  // with sorted rows, like its own transpose
  return fingerprint(exec, transposed) == fingerprint(exec, transpose(exec, transposed).matrix);
}

}  // namespace einkorn
