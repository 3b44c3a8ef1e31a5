// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace einkorn::tools {

/// The owners of the rows from a text with one integer per line, the output of gpmetis; or from a map of Scotch
/// (gmap, gpart): the number of rows, then one line per row with its number, counted from 0 or 1, and its owner,
/// in any order. It is a map if the first line is num_rows and the second has two words. Blank lines are skipped.
/// @param name of the file, for messages
/// @throws ParseError for an owner that is no integer from 0 to ranks - 1; map: for a row that is none or occurs twice
/// @throws DimensionMismatch unless there is one owner per row
std::vector<int> parse_owners(std::string const& name, std::string_view text, int num_rows, int ranks);

/// The same from a file.
/// @throws IoError
std::vector<int> read_owners(std::string const& path, int num_rows, int ranks);

}  // namespace einkorn::tools
