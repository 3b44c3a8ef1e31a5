// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/solve.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace einkorn::perf {

/// One record a solver; one without figures has null and its reason. Beside the fields of every record
/// (json.hpp): `operation` is the method, `seconds` that of an iteration, `bytes` what one moves; where it was
/// taken, `history`: |r_k| / |b| after k = 0, 1, .. iterations of a solve that stops by itself.
nlohmann::ordered_json records_of(Context const& context, SolveTable const& table);

/// The solvers of one matrix, and the best of ours beside the best of the peers.
void print_table(std::ostream& out, SolveTable const& table);

}  // namespace einkorn::perf
