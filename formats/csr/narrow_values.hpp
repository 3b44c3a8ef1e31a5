// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/formats/csr/convert_values.hpp>. This header will be removed after 0.2.
#include <einkorn/formats/csr/convert_values.hpp>

namespace einkorn {

template <class Narrow, class Exec, class Matrix>
[[deprecated("use convert_values")]] auto narrow_values(Exec const& exec, Matrix const& A) {
  return convert_values<Narrow>(exec, A);
}

}  // namespace einkorn
