// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <vector>

namespace einkorn::perf {

/// A matrix of the command line and the suite that it came with, if any.
struct NamedMatrix {
  std::string name, suite;
};

/// suite:csr5, suite:irregular and suite:regular as the matrices they stand for, every other word as it is.
/// Throws InvalidArgument, which lists the suites.
std::vector<NamedMatrix> expand_suites(std::vector<std::string> const& words);

}  // namespace einkorn::perf
