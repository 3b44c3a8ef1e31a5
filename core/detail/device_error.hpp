// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace einkorn::detail {

// Throws Error "what: text of the error" unless a call of the runtime succeeded, and resets the error: otherwise a later
// call reports it again.

#ifdef KOKKOS_ENABLE_CUDA
inline void require_success(cudaError_t error, char const* what) {
  if (error == cudaSuccess) [[likely]]
    return;
  static_cast<void>(cudaGetLastError());
  throw Error(std::string(what) + ": " + cudaGetErrorString(error));
}
#endif

#ifdef KOKKOS_ENABLE_HIP
inline void require_success(hipError_t error, char const* what) {
  if (error == hipSuccess) [[likely]]
    return;
  static_cast<void>(hipGetLastError());
  throw Error(std::string(what) + ": " + hipGetErrorString(error));
}
#endif

}  // namespace einkorn::detail
