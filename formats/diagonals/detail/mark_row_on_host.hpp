// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>

namespace einkorn::detail {

/// Host: sets flags[columns[k]] to 1 for the entries of a row, four entries per test: nearly always all are set. Loads and
/// stores are atomic.
template <class Exec, class Ordinal, class Offset, class Flag>
void mark_row_on_host(Ordinal const* columns, Offset length, Flag* flags) {
  using L = Lanes<Exec>;
  auto const flag_of = [&](Offset k) { return L::load_volatile(flags + columns[k]); };
  auto const mark = [&](Offset k) {
    if (flag_of(k) == 0) L::store_volatile(flags + columns[k], Flag(1));
  };
  Offset k = 0;
  for (; static_cast<Offset>(length - k) >= 4; k += 4)
    if ((flag_of(k) & flag_of(k + 1) & flag_of(k + 2) & flag_of(k + 3)) == 0)
      for (Offset j = k; j < k + 4; ++j) mark(j);
  for (; k < length; ++k) mark(k);
}

}  // namespace einkorn::detail
