// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/measure.hpp"

#include <vector>

namespace einkorn::perf {

/// Selects the rows of the second round: Einkorn SpMVs within 1.4 times the fastest, the default of CSR, every
/// peer, and the conversions to the selected formats.
/// @param seconds times of the first round; 0: not measured
std::vector<bool> select_for_second_round(std::vector<Result> const& results,
                                          std::vector<double> const& seconds);

}  // namespace einkorn::perf
