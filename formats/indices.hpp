// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// How a format stores the columns of its entries.
enum class Indices {
  full,       ///< one Ordinal per entry
  compressed  ///< a 16-bit code per entry in tiles (CSR5) or slices (SELL) whose columns allow it
};

}  // namespace einkorn
