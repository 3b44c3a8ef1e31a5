// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/csr.hpp>

namespace einkorn {

/// The conversion of one format from CSR. Each format specializes it in its from_csr.hpp:
///
///     using Options = ...;
///     static Format<...> make(exec, A, options);
template <template <class, class, class, class> class Format>
struct FromCsr;

/// A in another format: from_csr<Csr5>(exec, A).
///
/// @param A  num_rows x num_cols; not changed. The result shares no memory with it.
/// @throws InvalidStructure, InvalidArgument, OverflowError, FillLimit, OutOfMemory: see the format
///
/// Runs on the device, in parallel; copies no array of length nnz to the host. Fences exec, which reads back
/// sizes.
template <template <class, class, class, class> class Format, ExecutionSpace Exec, class Scalar, class Ordinal,
          class Offset, class Device>
auto from_csr(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
              typename FromCsr<Format>::Options const& options = {}) {
  return FromCsr<Format>::make(exec, A, options);
}

/// The same for a KokkosSparse::CrsMatrix, or a type with its members.
template <template <class, class, class, class> class Format, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto from_csr(Exec const& exec, Matrix const& A, typename FromCsr<Format>::Options const& options = {}) {
  return FromCsr<Format>::make(exec, as_csr(A), options);
}

}  // namespace einkorn
