// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exit_code.hpp"
#include "solve/settings.hpp"

namespace einkorn::tools {

using program::Exit, program::done, program::usage;
inline constexpr Exit not_converged = program::negative_result;

/// Reads the system, solves it and writes the results that the settings request. Throws the exceptions of its
/// parts.
/// @pre Kokkos is initialized
Exit run(Settings const& settings);

}  // namespace einkorn::tools
