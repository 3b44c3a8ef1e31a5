// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/dia/dia.hpp>
#include <einkorn/formats/diagonals/detail/to_csr.hpp>

namespace einkorn {

/// DIA to CSR with sorted rows: reproduces the CSR given to from_csr bit for bit if its rows were sorted, its
/// positions unique and no stored entry zero. Otherwise rows are sorted, repeated positions summed, and zeros
/// dropped.
/// @throws OutOfMemory
/// Cost: reads the values twice, writes the CSR; on the device; fences exec once.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<typename Dia<Scalar, Ordinal, Offset, Device>::scalar_type, Ordinal, Offset, Device> to_csr(
    Exec const& exec, Dia<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  return detail::diagonals_to_csr(exec, F);
}

}  // namespace einkorn
