// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

namespace einkorn {

/// Entries that a padded format may store for each entry of the CSR, unless the caller says otherwise. Infinity
/// is no limit.
inline constexpr double default_fill_limit = 3.0;

namespace detail {

/// Throws FillLimit, with the figures, when `stored` entries for `nnz` pass the limit. Counts are doubles: what
/// is refused may be larger than any integer. Called before anything of that size is allocated.
inline void require_fill(char const* format, double stored, double nnz, double limit) {
  require<FillLimit>(stored == 0.0 || stored <= limit * nnz, [&] {
    char text[160];
    std::snprintf(text, sizeof text,
                  "from_csr: %s would store %.0f entries for %.0f, %.3g times as many; the fill limit is %.3g",
                  format, stored, nnz, stored / nnz, limit);
    return std::string(text);
  });
}

/// Throws OverflowError when `stored` entries cannot be counted in Offset, with room for kernels that step past
/// the last one (see check_entries in spmv_checks.hpp).
template <class Offset>
void require_stored_fits(char const* format, double stored) {
  require<OverflowError>(stored <= static_cast<double>(std::numeric_limits<Offset>::max()) - 65536.0, [&] {
    char text[128];
    std::snprintf(text, sizeof text,
                  "from_csr: %s of %.0f stored entries needs a wider Offset; int64_t or size_t would do",
                  format, stored);
    return std::string(text);
  });
}

}  // namespace detail

}  // namespace einkorn
