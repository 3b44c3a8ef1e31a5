// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/csr.hpp>

namespace einkorn {

/// How a format is made from CSR. Each room specialises it in its from_csr.hpp with a type Options and a
/// function make(exec, A, options).
template <template <class, class, class, class> class Format>
struct FromCsr;

/// The matrix A in another format: from_csr<Csr5>(exec, A). On the device, in parallel; nothing of size nnz
/// visits the host. Fences exec (sizes are read back). Throws InvalidStructure, InvalidArgument, OverflowError,
/// FillLimit, OutOfMemory, as the format's page says; A is never changed.
template <template <class, class, class, class> class Format, ExecutionSpace Exec, class Scalar, class Ordinal,
          class Offset, class Device>
auto from_csr(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
              typename FromCsr<Format>::Options const& options = {}) {
  return FromCsr<Format>::make(exec, A, options);
}

/// The same for a KokkosSparse::CrsMatrix, or anything of its shape.
template <template <class, class, class, class> class Format, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto from_csr(Exec const& exec, Matrix const& A, typename FromCsr<Format>::Options const& options = {}) {
  return FromCsr<Format>::make(exec, as_csr(A), options);
}

}  // namespace einkorn
