// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/fingerprint.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <string>

namespace einkorn::detail {

/// Throws StalePlan unless what was made for one structure is given that structure again.
inline void require_same_structure(Fingerprint const& planned, Fingerprint const& given) {
  auto const size = [](Fingerprint const& f) {
    return std::to_string(f.num_rows) + " x " + std::to_string(f.num_cols) + " with " + std::to_string(f.nnz) +
           " entries";
  };
  require<StalePlan>(planned == given, [&] {
    return "update_values: made for a matrix of " + size(planned) + ", given one of " + size(given) +
           (planned.nnz == given.nnz ? " whose entries lie elsewhere" : "");
  });
}

/// The same for a CSR. With Checks::off only the sizes are compared, which reads nothing on the device.
template <class Exec, class Matrix>
void require_structure_of(Exec const& exec, Fingerprint const& planned, Matrix const& A, Checks checks) {
  if (checks == Checks::on) return require_same_structure(planned, fingerprint(exec, A));
  require_same_structure(planned,
                         {static_cast<std::uint64_t>(A.num_rows), static_cast<std::uint64_t>(A.num_cols),
                          static_cast<std::uint64_t>(A.nnz()), planned.offsets, planned.columns});
}

}  // namespace einkorn::detail
