// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/measure.hpp"

#include <iosfwd>

namespace einkorn::perf {

void print_heading(std::ostream& out, Context const& context);

/// Prints the rows of one matrix, its conversions, and the best Einkorn row beside the best peer.
void print_table(std::ostream& out, MatrixReport const& report);

}  // namespace einkorn::perf
