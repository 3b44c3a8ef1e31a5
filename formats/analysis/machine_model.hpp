// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

namespace einkorn {

/// The machine parameters of select().
struct MachineModel {
  double bytes_per_second;  ///< copy bandwidth, reads and writes
  double launch_seconds;    ///< additional time per kernel launch
};

/// The constants of an architecture, for machines without a profile (machine_profile.hpp).
constexpr MachineModel machine_model(Arch arch) {
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
      return {20e9, 4e-6};  // 2 cores of a Xeon, 2026-11
  }
}

}  // namespace einkorn
