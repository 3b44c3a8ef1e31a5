// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <cstdint>

namespace einkorn::detail {

/// require_same_structure() for a CSR. Checks::off compares only the sizes, without reading device memory.
template <class Exec, class Matrix>
void require_structure_of(Exec const& exec, Fingerprint const& planned, Matrix const& A, Checks checks) {
  if (are_on(checks)) return require_same_structure(planned, fingerprint(exec, A));
  require_same_structure(planned,
                         {static_cast<std::uint64_t>(A.num_rows), static_cast<std::uint64_t>(A.num_cols),
                          static_cast<std::uint64_t>(A.nnz()), planned.offsets, planned.columns});
}

}  // namespace einkorn::detail
