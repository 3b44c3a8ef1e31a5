// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <vector>

namespace einkorn::perf {

/// A matrix of the command line and its suite, if any.
struct NamedMatrix {
  std::string name, suite;
};

/// Replaces suite:csr5, suite:irregular and suite:regular by their matrices. Other arguments are not changed.
/// @throws InvalidArgument for another suite, with the list of suites
std::vector<NamedMatrix> expand_suites(std::vector<std::string> const& arguments);

}  // namespace einkorn::perf
