// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// How a format stores the columns of its entries.
enum class Indices {
  full,       ///< an Ordinal an entry
  compressed  ///< a code of 16 bits an entry in the tiles (CSR5) or slices (SELL) whose columns allow it
};

}  // namespace einkorn
