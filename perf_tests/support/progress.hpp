// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <utility>
#include <vector>

/// Progress on stderr. On a terminal: a bar, replaced by the seconds of the stage when it ends. Otherwise: one
/// line per stage, and one every two seconds of a long stage.
namespace einkorn::perf::progress {

enum class Style { quiet, lines, bar };

/// Selects the style: quiet, else bar if stderr is a terminal, else lines. The default is lines.
void choose(bool quiet);
void choose(Style style);

/// Begins a stage of a matrix and ends the previous one.
void stage(std::string const& matrix, std::string const& what);

/// Reports that `done` of `total` steps of the stage are complete.
void step(int done, int total);

/// Ends the current stage.
void finish();

/// Total seconds per stage name, in the order of first appearance.
std::vector<std::pair<std::string, double>> seconds();

/// "[#####.....]" with `width` characters between the brackets.
std::string progress_bar(int done, int total, int width);

}  // namespace einkorn::perf::progress
