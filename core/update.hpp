// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/core/epilogue.hpp>. This header will be removed after 0.2.
#include <einkorn/core/epilogue.hpp>

namespace einkorn {

template <class Sum>
using Update [[deprecated("use Epilogue")]] = Epilogue<Sum>;

}  // namespace einkorn
