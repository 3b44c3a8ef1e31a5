// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <string>

namespace einkorn::perf {

/// Reads a Matrix Market file. Throws the exceptions of the reader. read_matrix.cpp.
template <class Scalar, class Ordinal, class Offset>
Csr<Scalar, Ordinal, Offset, Device> read_matrix(std::string const& path);

/// Generates gen:... . Throws the exceptions of the generator. generate_matrix.cpp.
template <class Scalar, class Ordinal, class Offset>
Csr<Scalar, Ordinal, Offset, Device> generate_matrix(Exec const& exec, std::string const& specification);

/// The matrix of a command-line argument: a file or gen:... .
template <class Scalar, class Ordinal, class Offset>
Csr<Scalar, Ordinal, Offset, Device> load_matrix(Exec const& exec, std::string const& name) {
  if (name.rfind("gen:", 0) == 0) return generate_matrix<Scalar, Ordinal, Offset>(exec, name);
  return read_matrix<Scalar, Ordinal, Offset>(name);
}

}  // namespace einkorn::perf
