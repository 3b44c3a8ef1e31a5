// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/measure.hpp"

#include <vector>

namespace einkorn::perf {

/// Which results have a second round when the seconds of the first are known (0: not measured): SpMVs of ours
/// within 1.4 times the fastest of them, CSR's default, every peer, and the conversions to what is left.
std::vector<bool> worth_a_second_round(std::vector<Result> const& results, std::vector<double> const& seconds);

}  // namespace einkorn::perf
