// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/screening.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace einkorn::perf {

std::vector<bool> select_for_second_round(std::vector<Result> const& results,
                                          std::vector<double> const& seconds) {
  constexpr double margin = 1.4;
  double best_seconds = std::numeric_limits<double>::infinity();
  auto const is_einkorn_spmv = [](Candidate const& row) { return row.operation == "spmv" && !row.is_peer(); };
  for (std::size_t i = 0; i < results.size(); ++i)
    if (is_einkorn_spmv(results[i].candidate) && seconds[i] > 0.0)
      best_seconds = std::min(best_seconds, seconds[i]);
  std::vector<bool> selected(results.size(), true);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (is_einkorn_spmv(results[i].candidate) && !results[i].candidate.is_default)
      selected[i] = seconds[i] > 0.0 && seconds[i] <= margin * best_seconds;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& conversion = results[i].candidate;
    if (conversion.operation != "conversion") continue;
    selected[i] = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
      auto const& row = results[k].candidate;
      if (is_einkorn_spmv(row) && row.format == conversion.format && row.algorithm == conversion.converts_to &&
          selected[k])
        selected[i] = true;
    }
  }
  return selected;
}

}  // namespace einkorn::perf
