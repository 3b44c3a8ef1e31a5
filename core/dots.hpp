// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/core/epilogue_with_dots.hpp>. This header will be removed after 0.2.
#include <einkorn/core/epilogue_with_dots.hpp>

namespace einkorn {

template <class Sum, class V, bool with_w>
using UpdateAndDots [[deprecated("use EpilogueWithDots")]] = EpilogueWithDots<Sum, V, with_w>;

}  // namespace einkorn
