// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/analysis/effort.hpp>
#include <einkorn/formats/fill_limit.hpp>

#include <limits>

namespace einkorn {

class Wisdom;

/// How select() and make_any_matrix() choose the format (select_by_measuring.hpp).
struct PlanningOptions {
  Effort effort = Effort::estimate;
  double max_seconds = 1;                                 ///< of measuring; CSR is measured in any case
  double uses = std::numeric_limits<double>::infinity();  ///< SpMVs that share the time of the conversion
  double fill_limit = default_fill_limit;  ///< stored entries per entry, at most, of the padded formats
  double margin = 2;         ///< Effort::measure: ratio of estimated times up to which a format is measured
  Wisdom* wisdom = nullptr;  ///< times of earlier calls, to which those of this call are added; may be null
};

}  // namespace einkorn
