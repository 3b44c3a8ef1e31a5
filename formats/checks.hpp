// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// Whether a conversion or plan validates its input, at a cost of O(nnz). off: the input must be valid;
/// otherwise the result is undefined.
enum class Checks { on, off };

}  // namespace einkorn
