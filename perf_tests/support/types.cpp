// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/types.hpp"

#include <algorithm>
#include <exception>

namespace einkorn::perf {

bool Selection::wants(std::string const& format, std::string const& algorithm) const {
  auto const has = [](std::vector<std::string> const& names, std::string const& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(formats, format) && has(algorithms, algorithm);
}

bool Selection::names(std::string const& format) const {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

Candidate build_row(Candidate row, std::function<void(Candidate&)> const& build) {
  try {
    build(row);
  } catch (std::exception const& failure) {
    row.run = nullptr;
    row.refusal = failure.what();
  }
  return row;
}

}  // namespace einkorn::perf
