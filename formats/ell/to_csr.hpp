// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/ell/ell.hpp>
#include <einkorn/formats/padded/detail/to_csr.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// ELL to CSR: reproduces the CSR given to from_csr bit for bit.
/// @throws OutOfMemory
/// Cost: reads columns twice and values once, writes the CSR; on the device; fences exec once.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Ell<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  return detail::padded_rows_to_csr(exec, "einkorn::to_csr[ell,lengths]", "einkorn::to_csr[ell]", F);
}

}  // namespace einkorn
