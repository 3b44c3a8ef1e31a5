// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <functional>

namespace einkorn::perf {

/// The peak of the bytes that `work` allocates through Kokkos, by Kokkos' allocation callbacks. Allocations
/// outside of Kokkos are not counted.
std::size_t high_water_of(std::function<void()> const& work);

}  // namespace einkorn::perf
