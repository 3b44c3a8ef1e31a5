// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <utility>
#include <vector>

/// What the program does at the moment, on stderr. On a terminal: a bar, replaced by the seconds of the stage
/// when it ends. Elsewhere: a line a stage, and one every other second of a long one.
namespace einkorn::perf::progress {

enum class Style { quiet, lines, bar };

/// quiet: --quiet. Otherwise bar where stderr is a terminal. Until it is called: lines.
void choose(bool quiet);
void choose(Style style);

/// A stage of this matrix begins, and the one before it ends.
void stage(std::string const& matrix, std::string const& what);

/// `done` parts of `total` of the stage.
void step(int done, int total);

/// The last stage ends.
void finish();

/// The seconds of all stages so far, added up by their names, in the order of their first appearance.
std::vector<std::pair<std::string, double>> seconds();

/// "[#####.....]", `width` characters between the brackets.
std::string bar_of(int done, int total, int width);

}  // namespace einkorn::perf::progress
