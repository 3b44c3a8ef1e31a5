// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/ell/ell.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// A matrix in HYB: the first ell.width entries of every row in ELL, the remaining entries in COO, both in the
/// order of the CSR.
///
/// Invariants: those of Ell and Coo, both with num_rows and num_cols of the matrix; a row with entries in coo
/// has no padding in ell. `source` of the parts is not set. Source: Bell & Garland, NVIDIA NVR-2008-004,
/// section 3.5.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Hyb {
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;

  Ordinal num_rows = 0, num_cols = 0;
  Ell<Scalar, Ordinal, Offset, Device> ell;
  Coo<Scalar, Ordinal, Offset, Device> coo;
  Fingerprint source;  // of the CSR given to from_csr

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return ell.nnz() + coo.nnz(); }
  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const { return ell.bytes() + coo.bytes(); }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    ell.visit_arrays(visit);
    coo.visit_arrays(visit);
  }
};

}  // namespace einkorn
