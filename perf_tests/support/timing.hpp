// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace einkorn::perf {

/// Seconds that what `work` enqueues on exec takes there, right behind what `before` enqueues. By events on
/// CUDA, where `before` (a flush) also hides the launch; by the clock of the host between two fences elsewhere.
double seconds_of(Exec const& exec, std::function<void()> const& before, std::function<void()> const& work);

/// Seconds between two fences around `work`, by the clock of the host: of work that itself waits for the
/// device.
double wall_seconds_of(Exec const& exec, std::function<void()> const& work);

double median(std::vector<double> samples);

/// (third quartile - first quartile) / median, quartiles interpolated linearly; none of fewer than three
/// samples.
std::optional<double> spread(std::vector<double> samples);

/// Lets the driver keep memory that was freed, so that a conversion is timed with its memory ready and not with
/// the mapping of pages. Once, before the first allocation; CUDA only.
void keep_freed_memory();

}  // namespace einkorn::perf
