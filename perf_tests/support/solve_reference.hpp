// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <string>
#include <vector>

namespace einkorn::perf {

/// |r_k| / |b| for k = 0, 1, .. of the method, by independent loops in long double on the host. Ends after
/// `iterations`, or before the first residual below `min_residual`, where results in double depend on rounding.
/// Cost: a copy of A on the host; 20 bytes per entry of A read per iteration.
/// @throws InvalidArgument if A is not symmetric or not positive definite (cg, jacobi-pcg), if a divisor of
/// bicgstab is zero, or if b is 0
std::vector<long double> reference_history(SolveBench const& bench, int iterations,
                                           long double min_residual = 1e-8L);

/// Compares a row that did `done` of `iterations` with the reference. Returns the difference, or "" if it did
/// all iterations and its residual is within a factor of 2.
std::string disagreement(int done, int iterations, double residual, double reference);

/// |b - A x| / |b|, on the device in double.
double true_residual(SolveBench const& bench);

}  // namespace einkorn::perf
