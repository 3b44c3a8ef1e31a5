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

/// Default limit of the entries that a padded format stores per entry of the CSR. Infinity: no limit.
inline constexpr double default_fill_limit = 3.0;

namespace detail {

/// Throws FillLimit, with both counts, if stored > limit * nnz. Counts are doubles, since a refused size may
/// exceed every integer type. Called before the allocation.
inline void require_fill(char const* format, double stored, double nnz, double limit) {
  require<FillLimit>(stored == 0.0 || stored <= limit * nnz, [&] {
    char text[160];
    std::snprintf(text, sizeof text,
                  "from_csr: %s would store %.0f entries for %.0f, %.3g times as many; the fill limit is %.3g",
                  format, stored, nnz, stored / nnz, limit);
    return std::string(text);
  });
}

/// Throws OverflowError if `stored` exceeds the largest Offset less 65536 (see check_entries in
/// spmv_checks.hpp).
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
