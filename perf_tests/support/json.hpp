// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/measure.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace einkorn::perf {

/// One record a row and temperature; a row without a figure has one record with null figures and its reason.
nlohmann::ordered_json records_of(Context const& context, MatrixReport const& report);

/// Writes the records of all reports as one array. Throws IoError.
void write_json(std::string const& path, Context const& context, std::vector<MatrixReport> const& reports);

}  // namespace einkorn::perf
