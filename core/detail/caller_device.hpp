// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The current device of the thread that constructs this, for a thread that it starts: a new thread begins with device 0,
/// which is another one in processes with several devices, such as the ranks of a node.
class CallerDevice {
 public:
  CallerDevice() {
#if defined(KOKKOS_ENABLE_CUDA)
    if (cudaGetDevice(&number_) != cudaSuccess) number_ = -1;
#elif defined(KOKKOS_ENABLE_HIP)
    if (hipGetDevice(&number_) != hipSuccess) number_ = -1;
#endif
  }
  /// Makes it the current device of this thread. An error of the runtime is left to the next call that needs a device.
  void use() const {
#if defined(KOKKOS_ENABLE_CUDA)
    if (number_ >= 0) static_cast<void>(cudaSetDevice(number_));
#elif defined(KOKKOS_ENABLE_HIP)
    if (number_ >= 0) static_cast<void>(hipSetDevice(number_));
#endif
  }

 private:
  [[maybe_unused]] int number_ = -1;
};

}  // namespace einkorn::detail
