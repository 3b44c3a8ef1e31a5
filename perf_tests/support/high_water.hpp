// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <functional>

namespace einkorn::perf {

/// The most bytes that Views and Kokkos' own allocations held at one time while `work` ran, less those held
/// before: by Kokkos' allocation callbacks, so memory that a library takes behind Kokkos is not seen.
std::size_t high_water_of(std::function<void()> const& work);

}  // namespace einkorn::perf
