// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Wrong lists of formats: each must give one static_assert with the sentence of its line, and no other error.
#include <einkorn/formats/format_list.hpp>

#include <cstddef>

template <class, class, class, class>
struct NotRegistered {};
template <class, class, class, class>
struct WithoutName {};
template <class, class, class, class>
struct LikeSell {};

template <>
struct einkorn::FormatTraits<WithoutName> {
  static constexpr FormatName format = FormatName(first_custom_format);
  static constexpr bool has_fused_apply = false;
};
template <>
struct einkorn::FormatTraits<LikeSell> {
  static constexpr FormatName format = FormatName::sell;
  static constexpr char const* name = "like_sell";
  static constexpr bool has_fused_apply = false;
};

using einkorn::BuiltInFormats;

std::size_t lists() {
  std::size_t size = BuiltInFormats::size;
  size += BuiltInFormats::With<NotRegistered>::size;  // expect: every format needs a FormatTraits
  size += BuiltInFormats::With<WithoutName>::size;    // expect: every format needs a FormatTraits
  size += BuiltInFormats::With<LikeSell>::size;       // expect: two formats have the same
  return size;
}
