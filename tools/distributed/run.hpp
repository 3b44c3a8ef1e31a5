// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/transport.hpp"
#include "solve/run.hpp"
#include "solve/settings.hpp"
#include "solve/types.hpp"

namespace einkorn::tools {

/// As run(), on all ranks of the transport: rank 0 reads or generates the system and sends every rank its rows,
/// all solve, rank 0 gathers x and writes the results. Collective. Throws the exceptions of its parts; where
/// only rank 0 reads or writes, the other ranks throw FailedOnRank0 or return.
/// @pre Kokkos is initialized
Exit run_on_ranks(Settings const& settings, program::ChosenTransport<Exec> const& chosen);

}  // namespace einkorn::tools
