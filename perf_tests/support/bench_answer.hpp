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

/// Rows that the caller has beside those of the answer: peers, and formats that never win.
template <class Scalar, class Ordinal, class Offset>
using AddRows = std::function<void(Problem<Scalar, Ordinal, Offset> const&, Selection const&, Candidates&)>;

/// Loads one matrix and measures what its answer needs: the kernels of CSR that differ, the formats that the
/// model of select() puts within twice the fastest (or those that selection.formats names), their conversions,
/// and the rows of `more`. Rows that turn out slower get one round (Rule::screen).
template <class Scalar, class Ordinal, class Offset>
MatrixReport bench_answer(Exec const& exec, Bandwidth const& bandwidth, std::string const& name,
                          Selection const& selection, Rule const& rule, bool verify,
                          AddRows<Scalar, Ordinal, Offset> const& more);

}  // namespace einkorn::perf
