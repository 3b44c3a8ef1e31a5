// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/run_time_operator.hpp"
#include "solve/types.hpp"

#include <einkorn/formats/format_name.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace einkorn::tools {

template <class Scalar>
struct Converted {
  RunTimeOperator<Scalar> A;
  std::string why;  // a sentence that names the format
};

/// A in the format that is asked for, or in the one that select() finds for so many products; in CSR when that
/// one refuses A after all. Throws FillLimit when the one that was asked for does, InvalidArgument for a
/// complex matrix in another format than CSR, OutOfMemory.
template <class Scalar>
Converted<Scalar> convert(Exec const& exec, Matrix<Scalar> const& A, std::optional<FormatName> format,
                          std::int64_t products);

}  // namespace einkorn::tools
