// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace einkorn {

/// The formats, for what is chosen at run time (any_matrix.hpp, select.hpp).
enum class FormatName { csr, csr5, coo, ell, sell, hyb, dia, bdia, bsr, brcv };

inline constexpr std::array all_formats{FormatName::csr,  FormatName::csr5, FormatName::coo, FormatName::ell,
                                        FormatName::sell, FormatName::hyb,  FormatName::dia, FormatName::bdia,
                                        FormatName::bsr,  FormatName::brcv};

constexpr char const* name_of(FormatName format) {
  constexpr std::array names{"csr", "csr5", "coo", "ell", "sell", "hyb", "dia", "bdia", "bsr", "brcv"};
  auto const index = static_cast<std::size_t>(format);
  return index < names.size() ? names[index] : "unknown";
}

/// "sell" -> FormatName::sell; nothing for a word that names no format.
constexpr std::optional<FormatName> format_of(std::string_view name) {
  for (auto const format : all_formats)
    if (name == name_of(format)) return format;
  return std::nullopt;
}

}  // namespace einkorn
