// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn::detail {

/// Memory space that kernels of Exec and the host access: pinned if the device has its own memory.
template <class Exec>
using PinnedSpace = std::conditional_t<
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible),
    Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;

}  // namespace einkorn::detail
