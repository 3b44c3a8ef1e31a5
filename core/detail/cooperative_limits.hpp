// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn::detail {

/// The maximal number of sums per barrier of a cooperative launch.
inline constexpr int max_cooperative_sums = 8;
/// The maximal number of ranks whose kernels exchange sums with each other.
inline constexpr int max_cooperative_ranks = 16;
/// The size of CooperativeMember::state() in bytes.
inline constexpr int max_cooperative_state = 512;

}  // namespace einkorn::detail
