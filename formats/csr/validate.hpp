// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/inspection.hpp>

namespace einkorn {

/// Checks the invariants of Csr.
/// @throws InvalidArgument if an array is not aligned to its entries
/// @throws InvalidStructure for the first invalid row or entry, with its value
///
/// Cost: 1 launch that reads row_offsets and columns once; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("validate");
  (void)detail::checked_fingerprint(exec, A, Checks::on);
}

}  // namespace einkorn
