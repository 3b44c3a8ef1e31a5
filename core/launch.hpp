// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// GPU: teams of 256 threads of kernels that assign work cyclically: 8 for each of 132 multiprocessors (H100, H200).
inline constexpr std::int64_t max_resident_teams = 1056;

}  // namespace detail

/// exec.fence(label). The std::string is made here, not in the code of every caller.
template <class Exec>
[[gnu::noinline]] void fence(Exec const& exec, char const* label) {
  exec.fence(std::string(label));
}

/// Kokkos::Profiling::ScopedRegion, likewise.
class ScopedRegion {
 public:
  [[gnu::noinline]] explicit ScopedRegion(char const* name) {
    Kokkos::Profiling::pushRegion(std::string(name));
  }
  ScopedRegion(ScopedRegion const&) = delete;
  ScopedRegion& operator=(ScopedRegion const&) = delete;
  ~ScopedRegion() { Kokkos::Profiling::popRegion(); }
};

/// The policy with the hint that a launch is light-weight: Kokkos then passes functors of up to 4 KB as kernel
/// arguments. Without it CUDA functors above 512 bytes (the Views of a format reach that) go through one buffer
/// in constant memory, and the host waits for the previous such launch.
template <class Policy>
auto light_weight(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace einkorn
