// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_list.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace einkorn {

/// The formats of the library, for loops over all of them.
inline constexpr auto all_formats = BuiltInFormats::formats();

/// FormatName::sell -> "sell"; "unknown" for a value that is not in the list.
template <class Formats = BuiltInFormats>
constexpr char const* name_of(FormatName format) {
  return Formats::name_of(format);
}

/// "sell" -> FormatName::sell; nullopt if no format has that name.
template <class Formats = BuiltInFormats>
constexpr std::optional<FormatName> format_of(std::string_view name) {
  return Formats::format_of(name);
}

}  // namespace einkorn
