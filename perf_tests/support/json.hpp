// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/measure.hpp"
#include "support/stamp.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace einkorn::perf {

/// One record per row and temperature. A row without times has one record with null values and a reason.
nlohmann::ordered_json records_of(Context const& context, MatrixReport const& report);

/// Checks before the measurement that the file can be written. An existing file is not changed.
/// @throws IoError with the name of the option
void require_writable(std::string const& option, std::string const& path);

/// Writes an array of records.
/// @throws IoError with the file and the reason
void write_json(std::string const& path, nlohmann::ordered_json const& records);

}  // namespace einkorn::perf
