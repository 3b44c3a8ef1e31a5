// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn {

/// The policy of a kernel that is launched often. Kokkos then passes a functor of up to 4 KB as kernel
/// arguments; otherwise CUDA functors above 512 bytes (a format's Views reach that) go through one buffer in
/// constant memory, and each such launch makes the host wait for the one before.
template <class Policy>
auto light_weight(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace einkorn
