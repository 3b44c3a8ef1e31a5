// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/screening.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace einkorn::perf {

std::vector<bool> worth_a_second_round(std::vector<Result> const& results, std::vector<double> const& seconds) {
  constexpr double margin = 1.4;
  double least = std::numeric_limits<double>::infinity();
  auto const is_ours = [](Candidate const& row) { return row.operation == "spmv" && !row.is_peer(); };
  for (std::size_t i = 0; i < results.size(); ++i)
    if (is_ours(results[i].candidate) && seconds[i] > 0.0) least = std::min(least, seconds[i]);
  std::vector<bool> worth(results.size(), true);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (is_ours(results[i].candidate) && !results[i].candidate.is_default)
      worth[i] = seconds[i] > 0.0 && seconds[i] <= margin * least;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& conversion = results[i].candidate;
    if (conversion.operation != "conversion") continue;
    worth[i] = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
      auto const& row = results[k].candidate;
      if (is_ours(row) && row.format == conversion.format && row.algorithm == conversion.converts_to &&
          worth[k])
        worth[i] = true;
    }
  }
  return worth;
}

}  // namespace einkorn::perf
