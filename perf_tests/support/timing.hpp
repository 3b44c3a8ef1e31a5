// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace einkorn::perf {

/// Seconds of the operations that `work` enqueues on exec, after those of `before`. Measured by events on CUDA,
/// where `before` (a flush) also hides the launch, else by the clock of the host between two fences.
double seconds_of(Exec const& exec, std::function<void()> const& before, std::function<void()> const& work);

/// Seconds between two fences around `work`, by the clock of the host: for work that synchronizes.
double wall_seconds_of(Exec const& exec, std::function<void()> const& work);

double median(std::vector<double> samples);

/// (third quartile - first quartile) / median with linearly interpolated quartiles; empty for fewer than three
/// samples.
std::optional<double> spread(std::vector<double> samples);

/// Makes the driver keep memory freed by cudaFreeAsync, where Kokkos is configured to use it (cudaMallocAsync). Call once
/// before the first allocation. No effect except on CUDA.
void keep_freed_memory();

}  // namespace einkorn::perf
