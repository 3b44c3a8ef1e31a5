// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/bdia/traits.hpp>
#include <einkorn/formats/brcv/traits.hpp>
#include <einkorn/formats/bsr/traits.hpp>
#include <einkorn/formats/column_blocks/traits.hpp>
#include <einkorn/formats/coo/traits.hpp>
#include <einkorn/formats/csr/traits.hpp>
#include <einkorn/formats/csr5/traits.hpp>
#include <einkorn/formats/dia/traits.hpp>
#include <einkorn/formats/ell/traits.hpp>
#include <einkorn/formats/format_traits.hpp>
#include <einkorn/formats/hyb/traits.hpp>
#include <einkorn/formats/sell/traits.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace einkorn {

/// Names a format template in a function argument.
template <template <class, class, class, class> class Format>
struct FormatTag {};

namespace detail {

template <template <class, class, class, class> class... Format>
constexpr bool are_registered() {
  return (requires {
    FormatTraits<Format>::format;
    FormatTraits<Format>::name;
    FormatTraits<Format>::has_fused_apply;
  } && ...);
}

/// Whether no two formats have the same FormatTraits<Format>::format.
template <template <class, class, class, class> class... Format>
constexpr bool are_distinct() {
  if constexpr (are_registered<Format...>()) {
    std::array<FormatName, sizeof...(Format)> const formats{FormatTraits<Format>::format...};
    for (std::size_t i = 0; i < formats.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (formats[i] == formats[j]) return false;
  }
  return true;
}

}  // namespace detail

/// A list of formats known by FormatTraits.
template <template <class, class, class, class> class... Format>
struct FormatList {
  static_assert(detail::are_registered<Format...>(),
                "einkorn::FormatList: every format needs a FormatTraits with format, name and has_fused_apply");
  static_assert(detail::are_distinct<Format...>(),
                "einkorn::FormatList: two formats have the same FormatTraits::format");

  /// This list followed by more formats.
  template <template <class, class, class, class> class... Added>
  using With = FormatList<Format..., Added...>;

  static constexpr std::size_t size = sizeof...(Format);

  [[nodiscard]] static constexpr std::array<FormatName, size> formats() {
    return {FormatTraits<Format>::format...};
  }
  /// "unknown" for a value that is not in the list.
  [[nodiscard]] static constexpr char const* name_of(FormatName format) {
    char const* name = "unknown";
    visit(format,
          [&]<template <class, class, class, class> class F>(FormatTag<F>) { name = FormatTraits<F>::name; });
    return name;
  }
  /// The format of that name; nullopt if none has it.
  [[nodiscard]] static constexpr std::optional<FormatName> format_of(std::string_view name) {
    std::optional<FormatName> format;
    for_each([&]<template <class, class, class, class> class F>(FormatTag<F>) {
      if (name == FormatTraits<F>::name) format = FormatTraits<F>::format;
    });
    return format;
  }
  /// Whether the format can apply an epilogue within its SpMV.
  [[nodiscard]] static constexpr bool has_fused_apply(FormatName format) {
    return ((FormatTraits<Format>::format == format && FormatTraits<Format>::has_fused_apply) || ...);
  }
  /// The names, in order.
  [[nodiscard]] static std::string names(char const* separator = ", ") {
    std::string all;
    for (auto const* name : {FormatTraits<Format>::name...}) (all += all.empty() ? "" : separator) += name;
    return all;
  }

  /// body(FormatTag<Format>()) for every format, in order.
  template <class Body>
  static constexpr void for_each(Body&& body) {
    (body(FormatTag<Format>()), ...);
  }
  /// body(FormatTag<Format>()) for one format. Returns false if it is not in the list.
  template <class Body>
  static constexpr bool visit(FormatName format, Body&& body) {
    return ((FormatTraits<Format>::format == format && (body(FormatTag<Format>()), true)) || ...);
  }
};

/// The formats that are compared on hosts and GPUs, in the order of FormatName.
using FormatsOfEveryArch = FormatList<Csr, Csr5, Coo, Ell, Sell, Hyb, Dia, Bdia, Bsr, Brcv>;

/// The formats of the library, in the order of FormatName. ColumnBlocks only with a GPU: no host was measured, and the
/// kernels would cost compile time. FormatsOfEveryArch::With<ColumnBlocks> has it on a host too.
using BuiltInFormats =
    std::conditional_t<has_gpu_backend, FormatsOfEveryArch::With<ColumnBlocks>, FormatsOfEveryArch>;

}  // namespace einkorn
