// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <string>
#include <vector>

namespace einkorn::perf {

/// |r_k| / |b| for k = 0, 1, ..: what the method gives, in long double on the host, by loops of its own. Ends
/// at `iterations`, or before the first residual below `least`, where rounding would decide what double gives.
/// Cost: a copy of A on the host, 20 bytes an entry of A read an iteration. Throws InvalidArgument where A is
/// not symmetric or not positive definite (cg, jacobi-pcg), where a divisor of bicgstab vanishes, and where b
/// is 0.
std::vector<long double> reference_history(SolveBench const& bench, int iterations, long double least = 1e-8L);

/// Why a row that reports `done` of `iterations` and leaves `residual` does not do what the reference does;
/// empty where it does: all iterations, and a residual within a factor of 2.
std::string disagreement(int done, int iterations, double residual, double reference);

/// |b - A x| / |b| on the device in double.
double true_residual(SolveBench const& bench);

}  // namespace einkorn::perf
