// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/solve.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace einkorn::perf {

/// One record per solver; without a time, null values and the reason. In addition to the fields of every record
/// (json.hpp): `operation` is the method, `seconds` and `bytes` are per iteration; `history`, if recorded, is
/// |r_k| / |b| after k = 0, 1, .. iterations of a solve that stops at its tolerance.
nlohmann::ordered_json records_of(Context const& context, SolveTable const& table);

/// Prints the solvers of one matrix, and the best Einkorn row beside the best peer.
void print_table(std::ostream& out, SolveTable const& table);

}  // namespace einkorn::perf
