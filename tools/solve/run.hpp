// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/settings.hpp"

namespace einkorn::tools {

enum Exit { done = 0, not_converged = 1, usage = 2, bad_input = 3, no_memory_or_device = 4 };

/// Reads, solves, and writes what the settings ask for. Kokkos is initialised. Throws what its parts throw.
Exit run(Settings const& settings);

}  // namespace einkorn::tools
