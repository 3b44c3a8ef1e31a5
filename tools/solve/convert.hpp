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
  FormatName format;
  std::string reason;  // text with the format and the reason
};

/// Converts A to the given format or, if none is given, to the choice of select() for this number of products.
/// If that format refuses A, the result is in CSR.
/// @throws FillLimit if the given format refuses A
/// @throws InvalidArgument for a complex matrix in a format other than CSR
/// @throws OutOfMemory
template <class Scalar>
Converted<Scalar> convert(Exec const& exec, Matrix<Scalar> const& A, std::optional<FormatName> format,
                          std::int64_t products);

}  // namespace einkorn::tools
