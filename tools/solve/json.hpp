// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einkorn::tools {

/// A string in quotes. Bytes that are not UTF-8, as in names of files, become U+FFFD.
std::string json_text(std::string_view bytes);

/// A number that reads back as the same bits; null unless it is finite.
std::string json_number(double value);

/// {"name": value, ...} with JSON texts as values, on one line.
std::string json_object(std::vector<std::pair<std::string, std::string>> const& members);

}  // namespace einkorn::tools
