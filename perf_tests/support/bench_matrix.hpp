// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/measure.hpp"
#include "support/types.hpp"

#include <string>

namespace einkorn::perf {

/// Loads one matrix, builds every row, checks the results (verify) and measures the times.
template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_matrix(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                          Selection const& selection, MeasureOptions const& measuring, bool verify);

}  // namespace einkorn::perf
