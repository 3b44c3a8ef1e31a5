// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/measure.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace einkorn::perf {

/// Appends to a record where and with what its figures were taken.
inline void stamp(nlohmann::ordered_json& record, Context const& context) {
  record["machine"] = context.machine;
  record["backend"] = context.backend;
  record["kokkos_version"] = context.kokkos_version;
  record["commit"] = context.commit;
}

/// One record a row and temperature; a row without a figure has one record with null figures and its reason.
nlohmann::ordered_json records_of(Context const& context, MatrixReport const& report);

/// Throws IoError, which names the option, unless a file can be written there: before anything is measured. A
/// file that is there keeps what it holds.
void require_writable(std::string const& option, std::string const& path);

/// Writes an array of records. Throws IoError, with the file and the reason.
void write_json(std::string const& path, nlohmann::ordered_json const& records);

}  // namespace einkorn::perf
