// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn {

/// The policy with the hint that a launch is light-weight: Kokkos then passes functors of up to 4 KB as kernel
/// arguments. Without it CUDA functors above 512 bytes (the Views of a format reach that) go through one buffer
/// in constant memory, and the host waits for the previous such launch.
template <class Policy>
auto light_weight(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace einkorn
