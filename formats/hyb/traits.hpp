// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/format_traits.hpp>

namespace einkorn {

template <class Scalar, class Ordinal, class Offset, class Device>
struct Hyb;

template <>
struct FormatTraits<Hyb> {
  static constexpr FormatName format = FormatName::hyb;
  static constexpr char const* name = "hyb";
  static constexpr bool has_fused_apply = false;
};

}  // namespace einkorn
