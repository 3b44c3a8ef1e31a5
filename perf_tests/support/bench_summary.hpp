// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/candidates.hpp"
#include "support/measure.hpp"
#include "support/types.hpp"

#include <functional>
#include <string>

namespace einkorn::perf {

/// Additional rows of the caller: peers, and formats that select() never chooses.
template <class Scalar, class Ordinal, class Offset>
using AddRows = std::function<void(Problem<Scalar, Ordinal, Offset> const&, Selection const&, Candidates&)>;

/// Loads one matrix and measures the rows of its summary: the distinct kernels of CSR, the formats that the
/// model of select() estimates within twice the fastest (or those in selection.formats), their conversions, and
/// the rows of `more`. Slower rows are measured in one round only (MeasureOptions::screen).
template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_summary(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                           Selection const& selection, MeasureOptions const& measuring, bool verify,
                           AddRows<Scalar, Ordinal, Offset> const& more);

}  // namespace einkorn::perf
