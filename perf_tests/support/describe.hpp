// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/text.hpp"

#include <einkorn/formats/analysis/structure.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace einkorn::perf {

/// Where the entries lie, in words: the most regular of diagonals, blocks and stripes that there is, and
/// whether the rows are alike.
inline std::string words_of(Structure const& s) {
  if (s.nnz == 0) return "no entries";
  auto const rows = static_cast<double>(s.num_rows), entries = static_cast<double>(s.nnz);
  std::string words;
  std::size_t block = 2;
  for (std::size_t b = 3; b < s.block_fill.size(); ++b)
    if (s.block_fill[b] < 1.1) block = b;
  auto const stripes = static_cast<double>(s.num_stripes);
  if (static_cast<double>(s.num_diagonals) * rows <= 1.5 * entries)
    words = text("%lld diagonals in %lld bands", static_cast<long long>(s.num_diagonals),
                 static_cast<long long>(s.num_bands));
  else if (s.block_fill[block] < 1.3)
    words = text("blocks of %zu x %zu", block, block);
  else if (rows >= 1.5 * stripes)
    words = text("runs of %.1f rows with the same columns", rows / stripes);
  else
    words = "no diagonals or blocks";
  bool const alike = static_cast<double>(s.longest_row) <= 4.0 * s.mean_row_length + 32.0;
  words += alike ? ", rows of like length" : ", rows of very different lengths";
  if (s.empty_rows > 0)
    words += text(", %.2g %% of them empty", 100.0 * static_cast<double>(s.empty_rows) / rows);
  return words;
}

}  // namespace einkorn::perf
