// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/formats/spgemm/options.hpp>. This header will be removed after 0.2.
#include <einkorn/formats/spgemm/options.hpp>

namespace einkorn {

using SpgemmAlikeRows [[deprecated("use SpgemmRowClasses")]] = SpgemmRowClasses;

}  // namespace einkorn
