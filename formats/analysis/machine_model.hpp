// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cmath>

namespace einkorn {

/// The machine parameters of select().
struct MachineModel {
  double bytes_per_second;  ///< copy bandwidth, reads and writes
  double launch_seconds;    ///< additional time per kernel launch
  double threads = 1;       ///< host: that share FormatEstimate::core_seconds
  double cache_bytes = 0;   ///< host: of the last-level caches; see host_cache_speed
};

/// Speed at which a host reads what fits its last-level caches, relative to the copy bandwidth. 2 cores of an EPYC, 2026-11.
inline constexpr double host_cache_speed = 3.0;

/// The constants of an architecture, for machines without a profile (machine_profile.hpp).
/// @param threads  host: 20 GB/s with 2 threads (2 cores of a Xeon, 2026-11), 86 with 16, 230 with 64 (estimated)
inline MachineModel machine_model(Arch arch, int threads = 2) {
  switch (arch) {
    case Arch::hopper:
      return {4.26e12, 2.5e-6};  // H200, 2026-11
    case Arch::cuda:
      return {1.4e12, 3e-6};  // analytical: A100
    case Arch::mi300:
      return {3.5e12, 5e-6};  // analytical, not measured
    case Arch::hip:
      return {1.2e12, 5e-6};  // analytical, not measured
    default:
      return {20e9 * std::pow(0.5 * threads, 0.7), 4e-6, static_cast<double>(threads)};
  }
}

}  // namespace einkorn
