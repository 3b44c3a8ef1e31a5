// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/text.hpp"

#include <einkorn/formats/analysis/structure.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace einkorn::perf {

/// The pattern as text: the most regular structure found (diagonals, blocks, stripes), and whether row lengths
/// are similar.
inline std::string describe_structure(Structure const& s) {
  if (s.nnz == 0) return "no entries";
  auto const rows = static_cast<double>(s.num_rows), entries = static_cast<double>(s.nnz);
  std::string description;
  std::size_t block = 2;
  for (std::size_t b = 3; b < s.block_fill.size(); ++b)
    if (s.block_fill[b] < 1.1) block = b;
  auto const stripes = static_cast<double>(s.num_stripes);
  if (static_cast<double>(s.num_diagonals) * rows <= 1.5 * entries)
    description = text("%lld diagonals in %lld bands", static_cast<long long>(s.num_diagonals),
                       static_cast<long long>(s.num_bands));
  else if (s.block_fill[block] < 1.3)
    description = text("blocks of %zu x %zu", block, block);
  else if (rows >= 1.5 * stripes)
    description = text("runs of %.1f rows with the same columns", rows / stripes);
  else
    description = "no diagonals or blocks";
  bool const similar = static_cast<double>(s.longest_row) <= 4.0 * s.mean_row_length + 32.0;
  description += similar ? ", rows of similar length" : ", rows of very different lengths";
  if (s.empty_rows > 0)
    description += text(", %.2g %% of them empty", 100.0 * static_cast<double>(s.empty_rows) / rows);
  return description;
}

}  // namespace einkorn::perf
