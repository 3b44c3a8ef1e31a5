// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exit_code.hpp"
#include "solve/method.hpp"
#include "solve/methods.hpp"
#include "solve/result.hpp"
#include "solve/run.hpp"
#include "solve/settings.hpp"
#include "solve/types.hpp"

namespace einkorn::tools {

/// Completes the result with that of a solve, and writes the table, the JSON, the history and x as the settings request.
/// @param solution_is_ones  whether b is A times ones; the table then has the error of x
/// @throws IoError
template <class Scalar>
Exit finish(Settings const& settings, Exec const& exec, Result result, Method const& method,
            TimedSolve const& solved, DenseVector<Scalar> const& x, bool solution_is_ones);

}  // namespace einkorn::tools
