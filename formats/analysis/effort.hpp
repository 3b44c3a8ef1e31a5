// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace einkorn {

/// How a format, or the algorithm of a plan, is chosen.
enum class Effort {
  estimate,   ///< by a model: nothing is converted or timed
  measure,    ///< the candidates that the model does not rule out are timed, within a time limit
  exhaustive  ///< all deterministic candidates are timed, within a time limit
};

constexpr char const* name_of(Effort effort) {
  switch (effort) {
    case Effort::measure:
      return "measure";
    case Effort::exhaustive:
      return "exhaustive";
    default:
      return "estimate";
  }
}

/// "measure" -> Effort::measure; nullopt if no effort has that name.
constexpr std::optional<Effort> effort_of(std::string_view name) {
  for (Effort const effort : std::array{Effort::estimate, Effort::measure, Effort::exhaustive})
    if (name == name_of(effort)) return effort;
  return std::nullopt;
}

}  // namespace einkorn
