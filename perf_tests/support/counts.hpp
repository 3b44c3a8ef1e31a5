// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/traffic.hpp"

#include <einkorn/formats/csr/csr.hpp>

namespace einkorn::perf {

template <class Scalar, class Ordinal, class Offset, class Device>
MatrixCounts counts_of(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return {static_cast<std::size_t>(A.num_rows),
          static_cast<std::size_t>(A.num_cols),
          A.values.extent(0),
          sizeof(Scalar),
          sizeof(Ordinal),
          sizeof(Offset)};
}

}  // namespace einkorn::perf
