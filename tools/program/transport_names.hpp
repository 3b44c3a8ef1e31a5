// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <vector>

namespace einkorn::program {

/// The values of --transport. `auto`: the fastest that works between the ranks.
inline std::vector<std::string> const& transport_names() {
  static std::vector<std::string> const names{"auto", "mpi"};
  return names;
}

/// "auto|mpi".
inline std::string transport_choices() {
  std::string text;
  for (auto const& name : transport_names()) text += (text.empty() ? "" : "|") + name;
  return text;
}

/// The error of a name that is not in the list, else empty; a check of CLI11.
inline std::string transport_error(std::string const& name) {
  for (auto const& known : transport_names())
    if (name == known) return {};
  return name + " is not a transport of this program; it has " + transport_choices();
}

}  // namespace einkorn::program
