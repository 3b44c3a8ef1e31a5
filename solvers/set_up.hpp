// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/solvers/async_setup.hpp>. This header will be removed after 0.2.
#include <einkorn/solvers/async_setup.hpp>

namespace einkorn {

template <template <class, class, class, class> class Format>
using SetUpOptions [[deprecated("use AsyncSetupOptions")]] = AsyncSetupOptions<Format>;

template <template <class, class, class, class> class Format, class Scalar, class Ordinal, class Offset,
          class Exec>
using SetUp [[deprecated("use AsyncSetup")]] = AsyncSetup<Format, Scalar, Ordinal, Offset, Exec>;

template <template <class, class, class, class> class Format, class Exec, class Matrix>
[[deprecated("use async_setup")]] auto set_up(Exec const& exec, Matrix const& A,
                                              AsyncSetupOptions<Format> const& options = {},
                                              UploadStaging<Exec> const& staging = {}) {
  return async_setup<Format>(exec, A, options, staging);
}

}  // namespace einkorn
