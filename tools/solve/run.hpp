// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exit_code.hpp"
#include "solve/settings.hpp"

namespace einkorn::tools {

using program::Exit, program::done, program::usage;
inline constexpr Exit not_converged = program::negative_result;

/// Reads, solves, and writes what the settings ask for. Kokkos is initialised. Throws what its parts throw.
Exit run(Settings const& settings);

}  // namespace einkorn::tools
